package httpapi

import (
	"context"

	"github.com/browserhive/browserhive/gen/api"
)

// SetLogLevel changes what the log keeps until the server stops.
func (o operations) SetLogLevel(ctx context.Context, r api.SetLogLevelRequestObject) (api.SetLogLevelResponseObject, error) {
	previous, err := o.opts.Levels.Swap(r.Body.Level)
	if err != nil {
		return nil, invalid("body/level", err.Error(), "level")
	}
	o.opts.Log.Warn("the log level was changed", "principal", visitOf(ctx).caller.Principal, "level", r.Body.Level, "previous", previous)
	return api.SetLogLevel200JSONResponse{Level: r.Body.Level, Previous: previous}, nil
}
