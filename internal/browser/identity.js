// What a page sees of the browser, as JSON text. The client hints and deviceMemory exist only on
// secure pages.
async () => {
  const hints = navigator.userAgentData && await navigator.userAgentData.getHighEntropyValues(
    ['architecture', 'bitness', 'formFactors', 'fullVersionList', 'model', 'platformVersion', 'wow64']);
  const format = Intl.DateTimeFormat().resolvedOptions();
  return JSON.stringify({
    userAgent: navigator.userAgent,
    platform: navigator.platform,
    languages: navigator.languages,
    webdriver: navigator.webdriver === true,
    hardwareConcurrency: navigator.hardwareConcurrency,
    deviceMemory: navigator.deviceMemory ?? null,
    locale: format.locale,
    timezone: format.timeZone,
    screen: {
      width: screen.width, height: screen.height,
      availWidth: screen.availWidth, availHeight: screen.availHeight,
      devicePixelRatio: devicePixelRatio,
    },
    hints: hints || null,
  });
}
