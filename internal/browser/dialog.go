package browser

import "github.com/mxschmitt/playwright-go"

// onDialog answers a dialog at once, so that neither the page nor a call waits for it. Leaving a page
// was asked for, so beforeunload is accepted; everything else is dismissed. It must not block: it runs
// where the driver's messages are read, hence the goroutine, which ends with the driver's answer.
func (b *Browser) onDialog(dialog playwright.Dialog) {
	go func() {
		if dialog.Type() == "beforeunload" {
			_ = dialog.Accept()
			return
		}
		_ = dialog.Dismiss()
	}()
}
