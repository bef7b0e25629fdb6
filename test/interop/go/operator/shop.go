// Package operator is an operator of ours for the tests of envtest: a Shop has a Deployment of its counters and a line in a
// ledger, which outlives the Shop until the operator has closed the line.
package operator

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

var GroupVersion = schema.GroupVersion{Group: "market.example.com", Version: "v1"}

type Shop struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`
	Spec              ShopSpec   `json:"spec"`
	Status            ShopStatus `json:"status,omitempty"`
}

type ShopSpec struct {
	Owner    string `json:"owner"`
	Counters *int32 `json:"counters,omitempty"`
	Currency string `json:"currency,omitempty"`
}

type ShopStatus struct {
	Open               bool  `json:"open,omitempty"`
	Counters           int32 `json:"counters,omitempty"`
	ObservedGeneration int64 `json:"observedGeneration,omitempty"`
}

type ShopList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []Shop `json:"items"`
}

func (s *Shop) DeepCopyObject() runtime.Object {
	copied := *s
	s.ObjectMeta.DeepCopyInto(&copied.ObjectMeta)
	if s.Spec.Counters != nil {
		counters := *s.Spec.Counters
		copied.Spec.Counters = &counters
	}
	return &copied
}

func (l *ShopList) DeepCopyObject() runtime.Object {
	copied := *l
	copied.Items = make([]Shop, len(l.Items))
	for i := range l.Items {
		copied.Items[i] = *l.Items[i].DeepCopyObject().(*Shop)
	}
	return &copied
}

// AddToScheme makes the kinds of this package known.
func AddToScheme(scheme *runtime.Scheme) error {
	scheme.AddKnownTypes(GroupVersion, &Shop{}, &ShopList{})
	metav1.AddToGroupVersion(scheme, GroupVersion)
	return nil
}
