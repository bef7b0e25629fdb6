package operator

import (
	"context"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
)

// Finalizer keeps a Shop until its line in the ledger is closed.
const Finalizer = "market.example.com/ledger"

// OwnerField is the index of Shops by their owner.
const OwnerField = "spec.owner"

// Ledger is the ConfigMap with a line for each Shop of its namespace.
const Ledger = "ledger"

type Reconciler struct{ client.Client }

func (r *Reconciler) SetupWithManager(mgr ctrl.Manager, name string) error {
	byOwner := func(object client.Object) []string { return []string{object.(*Shop).Spec.Owner} }
	if err := mgr.GetFieldIndexer().IndexField(context.Background(), &Shop{}, OwnerField, byOwner); err != nil {
		return err
	}
	return ctrl.NewControllerManagedBy(mgr).Named(name).For(&Shop{}).Owns(&appsv1.Deployment{}).Complete(r)
}

func (r *Reconciler) Reconcile(ctx context.Context, request ctrl.Request) (ctrl.Result, error) {
	shop := &Shop{}
	if err := r.Get(ctx, request.NamespacedName, shop); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	if !shop.DeletionTimestamp.IsZero() {
		return ctrl.Result{}, r.close(ctx, shop)
	}
	if controllerutil.AddFinalizer(shop, Finalizer) {
		return ctrl.Result{}, r.Update(ctx, shop)
	}
	if err := r.note(ctx, shop, "open"); err != nil {
		return ctrl.Result{}, err
	}
	deployment := &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Namespace: shop.Namespace, Name: shop.Name}}
	_, err := controllerutil.CreateOrUpdate(ctx, r.Client, deployment, func() error {
		labels := map[string]string{"shop": shop.Name}
		deployment.Spec.Selector = &metav1.LabelSelector{MatchLabels: labels}
		deployment.Spec.Replicas = shop.Spec.Counters
		deployment.Spec.Template.Labels = labels
		deployment.Spec.Template.Spec.Containers = []corev1.Container{{Name: "counter", Image: "example.com/counter"}}
		return controllerutil.SetControllerReference(shop, deployment, r.Scheme())
	})
	if err != nil {
		return ctrl.Result{}, err
	}
	before := shop.DeepCopyObject().(*Shop)
	shop.Status = ShopStatus{Open: true, ObservedGeneration: shop.Generation}
	if deployment.Spec.Replicas != nil {
		shop.Status.Counters = *deployment.Spec.Replicas
	}
	if before.Status == shop.Status {
		return ctrl.Result{}, nil
	}
	return ctrl.Result{}, r.Status().Patch(ctx, shop, client.MergeFrom(before))
}

func (r *Reconciler) close(ctx context.Context, shop *Shop) error {
	if !controllerutil.ContainsFinalizer(shop, Finalizer) {
		return nil
	}
	if err := r.note(ctx, shop, "closed"); err != nil {
		return err
	}
	controllerutil.RemoveFinalizer(shop, Finalizer)
	return r.Update(ctx, shop)
}

// note writes a Shop's line in the ledger. Two Shops that write at once conflict, and the second tries again.
func (r *Reconciler) note(ctx context.Context, shop *Shop, line string) error {
	ledger := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: shop.Namespace, Name: Ledger}}
	_, err := controllerutil.CreateOrUpdate(ctx, r.Client, ledger, func() error {
		if ledger.Data == nil {
			ledger.Data = map[string]string{}
		}
		ledger.Data[shop.Name] = line
		return nil
	})
	if errors.IsAlreadyExists(err) {
		return errors.NewConflict(corev1.Resource("configmaps"), Ledger, err)
	}
	return err
}
