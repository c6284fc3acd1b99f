package contract

import (
	"context"
	"crypto/x509"
	"errors"
	"io"
	"net"
	"net/url"
	"os"
	"syscall"
)

// NetworkReason says in words why an address could not be reached or had, without the address.
func NetworkReason(err error) string {
	var name *net.DNSError
	var timeout net.Error
	var cert x509.UnknownAuthorityError
	var host x509.HostnameError
	switch {
	case err == nil:
		return ""
	case errors.Is(err, syscall.ECONNREFUSED):
		return "nothing listens there"
	case errors.Is(err, syscall.EADDRINUSE):
		return "another program listens there"
	case errors.Is(err, syscall.EADDRNOTAVAIL):
		return "this host has no such address"
	case errors.Is(err, syscall.EACCES):
		return "this user may not use that port"
	case errors.Is(err, syscall.EHOSTUNREACH), errors.Is(err, syscall.ENETUNREACH):
		return "no way leads there from this network"
	case errors.As(err, &name) && name.IsNotFound:
		return "there is no host " + name.Name
	case errors.As(err, &name):
		return "the name server does not say where " + name.Name + " is"
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, os.ErrDeadlineExceeded), errors.As(err, &timeout) && timeout.Timeout():
		return "no answer came in time"
	case errors.As(err, &cert):
		return "its certificate is of an authority that this host does not trust"
	case errors.As(err, &host):
		return "its certificate is for another host"
	case errors.Is(err, syscall.ECONNRESET), errors.Is(err, syscall.EPIPE), errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return "the connection broke off"
	}
	var request *url.Error
	if errors.As(err, &request) {
		return NetworkReason(request.Err)
	}
	var op *net.OpError
	if errors.As(err, &op) {
		return op.Err.Error()
	}
	return err.Error()
}
