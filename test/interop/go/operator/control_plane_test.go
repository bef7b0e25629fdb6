package operator

import (
	"context"
	"encoding/base64"
	"io"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-logr/logr"
	appsv1 "k8s.io/api/apps/v1"
	authenticationv1 "k8s.io/api/authentication/v1"
	certificatesv1 "k8s.io/api/certificates/v1"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/envtest"
	"sigs.k8s.io/controller-runtime/pkg/metrics/server"
)

// shared is a control plane for tests on built-in kinds, each of which has a namespace of its own.
var shared struct {
	sync.Once
	env    *envtest.Environment
	config *rest.Config
	err    error
}

func TestMain(m *testing.M) {
	ctrl.SetLogger(logr.Discard())
	code := m.Run()
	if shared.env != nil {
		if err := shared.env.Stop(); err != nil {
			println("stop:", err.Error())
			code = 1
		}
	}
	os.Exit(code)
}

func controlPlane(t *testing.T) (*envtest.Environment, *rest.Config) {
	t.Helper()
	shared.Do(func() {
		shared.env = &envtest.Environment{}
		shared.config, shared.err = shared.env.Start()
	})
	if shared.err != nil {
		t.Fatal(shared.err)
	}
	return shared.env, shared.config
}

func clientOf(t *testing.T, config *rest.Config) client.Client {
	t.Helper()
	c, err := client.New(config, client.Options{})
	must(t, err)
	return c
}

// namespace makes a namespace for the test.
func namespace(t *testing.T, c client.Client) string {
	t.Helper()
	made := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{GenerateName: "test-"}}
	must(t, c.Create(context.Background(), made))
	return made.Name
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// eventually waits until the condition holds.
func eventually(t *testing.T, what string, condition func(ctx context.Context) (bool, error)) {
	t.Helper()
	err := wait.PollUntilContextTimeout(context.Background(), 20*time.Millisecond, 20*time.Second, true, condition)
	if err != nil {
		t.Fatalf("%s: %v", what, err)
	}
}

func managerOptions() ctrl.Options {
	return ctrl.Options{Metrics: server.Options{BindAddress: "0"}}
}

// run starts a manager and stops it when the test ends.
func run(t *testing.T, manager ctrl.Manager) (stop func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- manager.Start(ctx) }()
	var once sync.Once
	stop = func() {
		once.Do(func() {
			cancel()
			if err := <-ended; err != nil {
				t.Error(err)
			}
		})
	}
	t.Cleanup(stop)
	return stop
}

func TestSystemNamespacesAndTheServiceOfTheAPIAreThere(t *testing.T) {
	_, config := controlPlane(t)
	c := clientOf(t, config)
	for _, name := range []string{"default", "kube-system", "kube-public", "kube-node-lease"} {
		eventually(t, name, func(ctx context.Context) (bool, error) {
			err := c.Get(ctx, types.NamespacedName{Name: name}, &corev1.Namespace{})
			return err == nil, client.IgnoreNotFound(err)
		})
	}
	eventually(t, "the service", func(ctx context.Context) (bool, error) {
		service := &corev1.Service{}
		err := c.Get(ctx, types.NamespacedName{Namespace: "default", Name: "kubernetes"}, service)
		return service.Spec.ClusterIP == "10.0.0.1", client.IgnoreNotFound(err)
	})
}

func TestNoControllersRun(t *testing.T) {
	_, config := controlPlane(t)
	c := clientOf(t, config)
	ns := namespace(t, c)
	labels := map[string]string{"app": "web"}
	deployment := &appsv1.Deployment{
		ObjectMeta: metav1.ObjectMeta{Namespace: ns, Name: "web"},
		Spec: appsv1.DeploymentSpec{
			Selector: &metav1.LabelSelector{MatchLabels: labels},
			Template: corev1.PodTemplateSpec{
				ObjectMeta: metav1.ObjectMeta{Labels: labels},
				Spec:       corev1.PodSpec{Containers: []corev1.Container{{Name: "web", Image: "example.com/web"}}},
			},
		},
	}
	must(t, c.Create(context.Background(), deployment))
	must(t, c.Create(context.Background(), &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{
		Namespace: ns, Name: "orphan",
		OwnerReferences: []metav1.OwnerReference{{APIVersion: "v1", Kind: "ConfigMap", Name: "gone", UID: "gone"}},
	}}))
	must(t, c.Delete(context.Background(), &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: ns}}))
	time.Sleep(500 * time.Millisecond)
	// No default ServiceAccount, no ReplicaSet, no garbage collection, and the namespace stays Terminating.
	accounts, sets := &corev1.ServiceAccountList{}, &appsv1.ReplicaSetList{}
	must(t, c.List(context.Background(), accounts, client.InNamespace(ns)))
	must(t, c.List(context.Background(), sets, client.InNamespace(ns)))
	if len(accounts.Items)+len(sets.Items) != 0 {
		t.Errorf("%d ServiceAccounts, %d ReplicaSets", len(accounts.Items), len(sets.Items))
	}
	must(t, c.Get(context.Background(), types.NamespacedName{Namespace: ns, Name: "orphan"}, &corev1.ConfigMap{}))
	found := &corev1.Namespace{}
	must(t, c.Get(context.Background(), types.NamespacedName{Name: ns}, found))
	if found.Status.Phase != corev1.NamespaceTerminating {
		t.Errorf("phase %s", found.Status.Phase)
	}
}

// The server writes into a CertificateSigningRequest who made it.
func TestUsersThatAreAddedAreWhoTheyAre(t *testing.T) {
	env, _ := controlPlane(t)
	user, err := env.AddUser(envtest.User{Name: "jane", Groups: []string{"system:masters", "cashiers"}}, nil)
	must(t, err)
	request := &certificatesv1.CertificateSigningRequest{
		ObjectMeta: metav1.ObjectMeta{GenerateName: "who-"},
		Spec: certificatesv1.CertificateSigningRequestSpec{
			Request:    signingRequest(t),
			SignerName: "market.example.com/none",
			Usages:     []certificatesv1.KeyUsage{certificatesv1.UsageClientAuth},
		},
	}
	must(t, clientOf(t, user.Config()).Create(context.Background(), request))
	slices.Sort(request.Spec.Groups)
	groups := strings.Join(request.Spec.Groups, " ")
	if request.Spec.Username != "jane" || groups != "cashiers system:authenticated system:masters" {
		t.Errorf("%s of %s", request.Spec.Username, groups)
	}
}

func TestACertificateOfAnotherCAIsRefused(t *testing.T) {
	_, config := controlPlane(t)
	stranger := rest.AnonymousClientConfig(config)
	stranger.CertData, stranger.KeyData = selfSigned(t, "stranger", "system:masters")
	err := clientOf(t, stranger).List(context.Background(), &corev1.NamespaceList{})
	if !errors.IsUnauthorized(err) {
		t.Errorf("not Unauthorized: %v", err)
	}
}

func TestKubectlReadsAndWrites(t *testing.T) {
	env, _ := controlPlane(t)
	user, err := env.AddUser(envtest.User{Name: "kubectl", Groups: []string{"system:masters"}}, nil)
	must(t, err)
	kubectl, err := user.Kubectl()
	must(t, err)
	_, messages, err := kubectl.Run("create", "configmap", "by-kubectl", "--from-literal=a=b")
	if err != nil {
		read, _ := io.ReadAll(messages)
		t.Fatalf("%v: %s", err, read)
	}
	out, _, err := kubectl.Run("get", "configmap", "by-kubectl", "-o", "jsonpath={.data.a}")
	must(t, err)
	if read, _ := io.ReadAll(out); string(read) != "b" {
		t.Errorf("%q", read)
	}
}

func TestTheKubeconfigReachesTheServer(t *testing.T) {
	env, _ := controlPlane(t)
	config, err := clientcmd.RESTConfigFromKubeConfig(env.KubeConfig)
	must(t, err)
	must(t, clientOf(t, config).List(context.Background(), &corev1.NamespaceList{}))
}

// Tokens are signed by the key that envtest wrote, for the issuer that it chose.
func TestTokensOfServiceAccountsAreSignedAndAccepted(t *testing.T) {
	env, config := controlPlane(t)
	c := clientOf(t, config)
	account := &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Namespace: namespace(t, c), Name: "robot"}}
	must(t, c.Create(context.Background(), account))
	request := &authenticationv1.TokenRequest{}
	must(t, c.SubResource("token").Create(context.Background(), account, request))
	review := &authenticationv1.TokenReview{Spec: authenticationv1.TokenReviewSpec{Token: request.Status.Token}}
	must(t, c.Create(context.Background(), review))
	if !review.Status.Authenticated || review.Status.User.Username != "system:serviceaccount:"+account.Namespace+":robot" {
		t.Errorf("%+v", review.Status)
	}
	claims, err := base64.RawURLEncoding.DecodeString(strings.Split(request.Status.Token, ".")[1])
	must(t, err)
	issuer := `"iss":"` + env.ControlPlane.APIServer.SecureServing.URL("https", "/").String() + `"`
	if !strings.Contains(string(claims), issuer) {
		t.Errorf("%s has no %s", claims, issuer)
	}
}

func TestAWriteOfAnOldVersionIsAConflict(t *testing.T) {
	_, config := controlPlane(t)
	c := clientOf(t, config)
	object := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: namespace(t, c), Name: "a"}}
	must(t, c.Create(context.Background(), object))
	old := object.DeepCopy()
	object.Data = map[string]string{"n": "1"}
	must(t, c.Update(context.Background(), object))
	old.Data = map[string]string{"n": "2"}
	if err := c.Update(context.Background(), old); !errors.IsConflict(err) {
		t.Errorf("not a conflict: %v", err)
	}
}

func TestAFinalizerKeepsAnObjectUntilItIsRemoved(t *testing.T) {
	_, config := controlPlane(t)
	c := clientOf(t, config)
	object := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{
		Namespace: namespace(t, c), Name: "a", Finalizers: []string{Finalizer},
	}}
	must(t, c.Create(context.Background(), object))
	must(t, c.Delete(context.Background(), object))
	key := client.ObjectKeyFromObject(object)
	must(t, c.Get(context.Background(), key, object))
	if object.DeletionTimestamp.IsZero() {
		t.Error("it is not being deleted")
	}
	object.Finalizers = nil
	must(t, c.Update(context.Background(), object))
	if err := c.Get(context.Background(), key, object); !errors.IsNotFound(err) {
		t.Errorf("it is still there: %v", err)
	}
}

func TestAFieldIndexOfTheCacheFollowsTheServer(t *testing.T) {
	_, config := controlPlane(t)
	manager, err := ctrl.NewManager(config, managerOptions())
	must(t, err)
	byNode := func(object client.Object) []string { return []string{object.(*corev1.Pod).Spec.NodeName} }
	must(t, manager.GetFieldIndexer().IndexField(context.Background(), &corev1.Pod{}, "spec.nodeName", byNode))
	run(t, manager)
	c := manager.GetClient()
	ns := namespace(t, c)
	for _, name := range []string{"a", "b", "c"} {
		node := map[bool]string{true: "one", false: "two"}[name == "c"]
		must(t, c.Create(context.Background(), &corev1.Pod{
			ObjectMeta: metav1.ObjectMeta{Namespace: ns, Name: name},
			Spec: corev1.PodSpec{
				NodeName: node, Containers: []corev1.Container{{Name: "app", Image: "example.com/app"}},
			},
		}))
	}
	listed := func(node string) func(context.Context) (bool, error) {
		return func(ctx context.Context) (bool, error) {
			pods := &corev1.PodList{}
			err := c.List(ctx, pods, client.InNamespace(ns), client.MatchingFields{"spec.nodeName": node})
			return len(pods.Items) == map[string]int{"one": 1, "two": 2}[node], err
		}
	}
	eventually(t, "one", listed("one"))
	eventually(t, "two", listed("two"))
}

func TestOneOfTwoManagersLeadsAndTheOtherFollowsWhenItEnds(t *testing.T) {
	_, config := controlPlane(t)
	c := clientOf(t, config)
	ns := namespace(t, c)
	elected := func() (ctrl.Manager, <-chan struct{}) {
		options := managerOptions()
		options.LeaderElection = true
		options.LeaderElectionID = "shops"
		options.LeaderElectionNamespace = ns
		options.LeaderElectionReleaseOnCancel = true
		quick := 200 * time.Millisecond
		options.RetryPeriod = &quick
		manager, err := ctrl.NewManager(config, options)
		must(t, err)
		return manager, manager.Elected()
	}
	first, firstLeads := elected()
	stopFirst := run(t, first)
	<-firstLeads
	second, secondLeads := elected()
	run(t, second)
	lease := &coordinationv1.Lease{}
	must(t, c.Get(context.Background(), types.NamespacedName{Namespace: ns, Name: "shops"}, lease))
	holder := *lease.Spec.HolderIdentity
	select {
	case <-secondLeads:
		t.Fatal("both lead")
	case <-time.After(time.Second):
	}
	stopFirst()
	select {
	case <-secondLeads:
	case <-time.After(20 * time.Second):
		t.Fatal("the second does not lead")
	}
	must(t, c.Get(context.Background(), client.ObjectKeyFromObject(lease), lease))
	if *lease.Spec.HolderIdentity == holder {
		t.Error("the lease has its former holder")
	}
}

func TestAServerSideApplyOfAnotherManagerConflicts(t *testing.T) {
	_, config := controlPlane(t)
	c := clientOf(t, config)
	ns := namespace(t, c)
	apply := func(manager, value string) error {
		return c.Patch(context.Background(), &corev1.ConfigMap{
			TypeMeta:   metav1.TypeMeta{APIVersion: "v1", Kind: "ConfigMap"},
			ObjectMeta: metav1.ObjectMeta{Namespace: ns, Name: "a"},
			Data:       map[string]string{"key": value},
		}, client.Apply, client.FieldOwner(manager)) //nolint:staticcheck
	}
	must(t, apply("one", "1"))
	if err := apply("two", "2"); !errors.IsConflict(err) {
		t.Errorf("not a conflict: %v", err)
	}
}

func TestAControlPlaneThatIsStoppedStartsAgain(t *testing.T) {
	env := &envtest.Environment{}
	for range 2 {
		config, err := env.Start()
		must(t, err)
		must(t, clientOf(t, config).List(context.Background(), &corev1.NamespaceList{}))
		must(t, env.Stop())
		env = &envtest.Environment{}
	}
}
