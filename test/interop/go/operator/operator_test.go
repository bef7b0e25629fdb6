package operator

import (
	"context"
	"path/filepath"
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	autoscalingv1 "k8s.io/api/autoscaling/v1"
	corev1 "k8s.io/api/core/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/envtest"
	"sigs.k8s.io/controller-runtime/pkg/webhook"
)

// market is a control plane with the CRD, the webhooks and the operator.
type market struct {
	client.Client
	config    *rest.Config
	cached    client.Client
	namespace string
}

// TestShops is the operator's suite: its parts share a control plane.
func TestShops(t *testing.T) {
	env := &envtest.Environment{
		CRDDirectoryPaths:     []string{filepath.Join("config", "crd")},
		ErrorIfCRDPathMissing: true,
		WebhookInstallOptions: envtest.WebhookInstallOptions{Paths: []string{filepath.Join("config", "webhook")}},
	}
	config, err := env.Start()
	must(t, err)
	t.Cleanup(func() {
		if err := env.Stop(); err != nil {
			t.Error(err)
		}
	})
	m := startOperator(t, env, config)
	for name, part := range map[string]func(*testing.T, market){
		"the CRD is established and listed":                                isEstablished,
		"the schema refuses what it does not allow":                        schemaRefuses,
		"defaults come from the schema and from the webhook":               areDefaulted,
		"the validating webhook refuses a creation, an update, a deletion": webhookRefuses,
		"both versions are served, and webhooks see the one they match":    bothVersions,
		"a Shop gets a Deployment that it owns, and its status":            isReconciled,
		"the generation counts changes of the spec alone":                  countsGenerations,
		"the scale subresource reads and writes counters":                  isScaled,
		"a deleted Shop is there until the operator has closed its line":   isFinalized,
		"Shops are found by the index of their owners":                     isIndexed,
		"server-side apply owns fields of a Shop":                          isApplied,
		"a watch of unstructured Shops sees what a typed client writes":    isUnstructured,
	} {
		t.Run(name, func(t *testing.T) {
			own := m
			own.namespace = namespace(t, m)
			part(t, own)
		})
	}
}

func startOperator(t *testing.T, env *envtest.Environment, config *rest.Config) market {
	t.Helper()
	known := runtime.NewScheme()
	must(t, scheme.AddToScheme(known))
	must(t, AddToScheme(known))
	must(t, apiextensionsv1.AddToScheme(known))
	options := managerOptions()
	options.Scheme = known
	options.LeaderElection = true
	options.LeaderElectionID = "shops"
	options.LeaderElectionNamespace = "default"
	options.LeaderElectionReleaseOnCancel = true
	install := env.WebhookInstallOptions
	options.WebhookServer = webhook.NewServer(webhook.Options{
		Host: install.LocalServingHost, Port: install.LocalServingPort, CertDir: install.LocalServingCertDir,
	})
	manager, err := ctrl.NewManager(config, options)
	must(t, err)
	must(t, (&Reconciler{Client: manager.GetClient()}).SetupWithManager(manager, "shops"))
	must(t, Webhooks{}.SetupWithManager(manager))
	run(t, manager)
	direct, err := client.New(config, client.Options{Scheme: known})
	must(t, err)
	eventually(t, "the webhooks answer", func(ctx context.Context) (bool, error) {
		return options.WebhookServer.StartedChecker()(nil) == nil, nil
	})
	return market{Client: direct, config: config, cached: manager.GetClient()}
}

func (m market) shop(name string, counters *int32) *Shop {
	return &Shop{
		ObjectMeta: metav1.ObjectMeta{Namespace: m.namespace, Name: name},
		Spec:       ShopSpec{Owner: "ann", Counters: counters},
	}
}

func (m market) open(t *testing.T, name string) *Shop {
	t.Helper()
	shop := m.shop(name, nil)
	must(t, m.Create(context.Background(), shop))
	eventually(t, "the Shop opens", func(ctx context.Context) (bool, error) {
		err := m.Get(ctx, client.ObjectKeyFromObject(shop), shop)
		return shop.Status.Open && shop.Status.ObservedGeneration == shop.Generation, err
	})
	return shop
}

func isEstablished(t *testing.T, m market) {
	crd := &apiextensionsv1.CustomResourceDefinition{}
	must(t, m.Get(context.Background(), types.NamespacedName{Name: "shops.market.example.com"}, crd))
	for _, condition := range crd.Status.Conditions {
		if condition.Type == apiextensionsv1.Established && condition.Status == apiextensionsv1.ConditionTrue {
			must(t, m.List(context.Background(), &ShopList{}))
			return
		}
	}
	t.Errorf("%+v", crd.Status.Conditions)
}

func schemaRefuses(t *testing.T, m market) {
	shop := m.shop("a", nil)
	shop.Spec.Currency = "GBP"
	err := m.Create(context.Background(), shop)
	if !errors.IsInvalid(err) || !strings.Contains(err.Error(), `spec.currency: Unsupported value: "GBP"`) {
		t.Errorf("%v", err)
	}
}

func areDefaulted(t *testing.T, m market) {
	shop := m.shop("a", nil)
	must(t, m.Create(context.Background(), shop))
	if shop.Spec.Currency != "EUR" || shop.Spec.Counters == nil || *shop.Spec.Counters != 1 {
		t.Errorf("%+v", shop.Spec)
	}
}

func webhookRefuses(t *testing.T, m market) {
	many := int32(11)
	refused := func(err error, why string) {
		t.Helper()
		text := `admission webhook "rules.market.example.com" denied the request: ` + why
		if !errors.IsForbidden(err) || err.Error() != text {
			t.Errorf("%v", err)
		}
	}
	refused(m.Create(context.Background(), m.shop("a", &many)), "11 counters are more than 10")
	shop := m.open(t, "b")
	before := shop.DeepCopyObject().(*Shop)
	shop.Spec.Owner = "bob"
	refused(m.Patch(context.Background(), shop, client.MergeFrom(before)), "a shop keeps its owner")
	kept := m.shop("c", nil)
	kept.Labels = map[string]string{"keep": "yes"}
	must(t, m.Create(context.Background(), kept))
	refused(m.Delete(context.Background(), kept), "shop c is kept")
}

func bothVersions(t *testing.T, m market) {
	older := &unstructured.Unstructured{}
	older.SetGroupVersionKind(schema.GroupVersionKind{Group: GroupVersion.Group, Version: "v1beta1", Kind: "Shop"})
	older.SetNamespace(m.namespace)
	older.SetName("a")
	must(t, unstructured.SetNestedField(older.Object, "ann", "spec", "owner"))
	must(t, m.Create(context.Background(), older))
	counters, _, err := unstructured.NestedInt64(older.Object, "spec", "counters")
	must(t, err)
	if older.GetAPIVersion() != "market.example.com/v1beta1" || counters != 1 {
		t.Errorf("%s with %d counters", older.GetAPIVersion(), counters)
	}
	shop := &Shop{}
	must(t, m.Get(context.Background(), client.ObjectKeyFromObject(older), shop))
	if shop.Spec.Owner != "ann" {
		t.Errorf("%+v", shop.Spec)
	}
}

func isReconciled(t *testing.T, m market) {
	shop := m.open(t, "a")
	deployment := &appsv1.Deployment{}
	must(t, m.Get(context.Background(), client.ObjectKeyFromObject(shop), deployment))
	if !metav1.IsControlledBy(deployment, shop) || *deployment.Spec.Replicas != 1 {
		t.Errorf("%+v", deployment)
	}
	must(t, m.Delete(context.Background(), deployment))
	eventually(t, "the operator makes it again", func(ctx context.Context) (bool, error) {
		err := m.Get(ctx, client.ObjectKeyFromObject(shop), deployment)
		return err == nil, client.IgnoreNotFound(err)
	})
}

func countsGenerations(t *testing.T, m market) {
	shop := m.open(t, "a")
	generation := shop.Generation
	before := shop.DeepCopyObject().(*Shop)
	shop.Status.Counters = 7
	must(t, m.Status().Patch(context.Background(), shop, client.MergeFrom(before)))
	if shop.Generation != generation {
		t.Errorf("the status made generation %d of %d", shop.Generation, generation)
	}
	before = shop.DeepCopyObject().(*Shop)
	shop.Spec.Currency = "USD"
	shop.Status.Counters = 9
	must(t, m.Patch(context.Background(), shop, client.MergeFrom(before)))
	if shop.Generation != generation+1 || shop.Status.Counters == 9 {
		t.Errorf("generation %d after %d, status %+v", shop.Generation, generation, shop.Status)
	}
}

func isScaled(t *testing.T, m market) {
	shop := m.open(t, "a")
	scale := &autoscalingv1.Scale{}
	must(t, m.SubResource("scale").Get(context.Background(), shop, scale))
	scale.Spec.Replicas = 3
	must(t, m.SubResource("scale").Update(context.Background(), shop, client.WithSubResourceBody(scale)))
	eventually(t, "the operator follows", func(ctx context.Context) (bool, error) {
		err := m.Get(ctx, client.ObjectKeyFromObject(shop), shop)
		return shop.Status.Counters == 3, err
	})
}

func isFinalized(t *testing.T, m market) {
	shop := m.open(t, "a")
	must(t, m.Delete(context.Background(), shop))
	eventually(t, "the Shop goes", func(ctx context.Context) (bool, error) {
		err := m.Get(ctx, client.ObjectKeyFromObject(shop), shop)
		return errors.IsNotFound(err), client.IgnoreNotFound(err)
	})
	ledger := &corev1.ConfigMap{}
	must(t, m.Get(context.Background(), types.NamespacedName{Namespace: m.namespace, Name: Ledger}, ledger))
	if ledger.Data["a"] != "closed" {
		t.Errorf("%v", ledger.Data)
	}
}

func isIndexed(t *testing.T, m market) {
	for name, owner := range map[string]string{"a": "ann", "b": "bob", "c": "bob"} {
		shop := m.shop(name, nil)
		shop.Spec.Owner = owner
		must(t, m.Create(context.Background(), shop))
	}
	eventually(t, "the index has them", func(ctx context.Context) (bool, error) {
		shops := &ShopList{}
		err := m.cached.List(ctx, shops, client.InNamespace(m.namespace), client.MatchingFields{OwnerField: "bob"})
		return len(shops.Items) == 2, err
	})
}

func isApplied(t *testing.T, m market) {
	apply := func(manager, currency string) error {
		shop := &unstructured.Unstructured{Object: map[string]any{
			"apiVersion": "market.example.com/v1", "kind": "Shop",
			"metadata": map[string]any{"namespace": m.namespace, "name": "a"},
			"spec":     map[string]any{"owner": "ann", "currency": currency},
		}}
		return m.Patch(context.Background(), shop, client.Apply, client.FieldOwner(manager)) //nolint:staticcheck
	}
	must(t, apply("one", "USD"))
	must(t, apply("one", "CHF"))
	if err := apply("two", "EUR"); !errors.IsConflict(err) {
		t.Errorf("not a conflict: %v", err)
	}
}

func isUnstructured(t *testing.T, m market) {
	watching, err := client.NewWithWatch(m.config, client.Options{})
	must(t, err)
	shops := &unstructured.UnstructuredList{}
	shops.SetGroupVersionKind(GroupVersion.WithKind("ShopList"))
	watch, err := watching.Watch(context.Background(), shops, client.InNamespace(m.namespace))
	must(t, err)
	defer watch.Stop()
	must(t, m.Create(context.Background(), m.shop("a", nil)))
	event := <-watch.ResultChan()
	seen := event.Object.(*unstructured.Unstructured)
	if event.Type != "ADDED" || seen.GetKind() != "Shop" || seen.GetName() != "a" {
		t.Errorf("%s %v", event.Type, seen.Object)
	}
}
