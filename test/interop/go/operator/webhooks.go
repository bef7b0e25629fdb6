package operator

import (
	"context"
	"fmt"

	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"
)

// MostCounters is the largest shop there may be.
const MostCounters = 10

// Webhooks sets the defaults of Shops and refuses those that cannot be.
type Webhooks struct{}

func (w Webhooks) SetupWithManager(mgr ctrl.Manager) error {
	return ctrl.NewWebhookManagedBy(mgr, &Shop{}).WithDefaulter(w).WithValidator(w).Complete()
}

func (Webhooks) Default(_ context.Context, shop *Shop) error {
	if shop.Spec.Counters == nil {
		one := int32(1)
		shop.Spec.Counters = &one
	}
	return nil
}

func (Webhooks) ValidateCreate(_ context.Context, shop *Shop) (admission.Warnings, error) {
	if *shop.Spec.Counters > MostCounters {
		return nil, fmt.Errorf("%d counters are more than %d", *shop.Spec.Counters, MostCounters)
	}
	return nil, nil
}

func (w Webhooks) ValidateUpdate(ctx context.Context, before, after *Shop) (admission.Warnings, error) {
	if before.Spec.Owner != after.Spec.Owner {
		return nil, fmt.Errorf("a shop keeps its owner")
	}
	return w.ValidateCreate(ctx, after)
}

func (Webhooks) ValidateDelete(_ context.Context, shop *Shop) (admission.Warnings, error) {
	if shop.Labels["keep"] != "" {
		return nil, fmt.Errorf("shop %s is kept", shop.Name)
	}
	return nil, nil
}
