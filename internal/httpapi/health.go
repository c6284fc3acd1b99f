package httpapi

import (
	"context"
	"time"

	"github.com/browserhive/browserhive/gen/api"
	"github.com/browserhive/browserhive/gen/errcode"
	"github.com/browserhive/browserhive/gen/types"
)

// operations implements the operations that are built.
type operations struct{ *Server }

var _ api.StrictServerInterface = operations{}

// GetHealth answers 200 while the server takes calls and 503 before and after.
func (o operations) GetHealth(context.Context, api.GetHealthRequestObject) (api.GetHealthResponseObject, error) {
	if phase := o.currentPhase(); phase != Ready {
		return nil, errcode.ServiceUnavailable{State: errcode.ServiceUnavailableState(phase)}.Err()
	}
	health := types.Health{Status: Ready, Version: o.opts.Version, UptimeMs: time.Since(o.opts.Started).Milliseconds()}
	if o.opts.Browser != nil {
		state := o.opts.Browser()
		health.Browser = &state
	}
	return api.GetHealth200JSONResponse(health), nil
}
