-- Payments. The provider's own records are the truth; these tables hold what we last read of them and what we did about
-- it. They belong to hoplet_billing, a role of its own; no API role can name them.

grant usage on schema app to hoplet_billing;

-- One customer a person and provider, bound before the first checkout. The row outlives the account: its
-- subscription has still to be cancelled, and the ledger speaks of its invoices.
create table app.billing_customers (
  provider text not null check (provider in ('stripe', 'sandbox')),
  customer_id text not null check (length(customer_id) between 1 and 255),
  user_id uuid references auth.users on delete set null,
  -- Who it was, also after the account is gone.
  account_id uuid not null,
  -- What the provider's subscription says, and the plan that follows from it.
  subscription_id text,
  status text,
  plan text not null default 'free' check (plan in ('free', 'pro', 'business')),
  price_id text,
  period_end timestamptz,
  cancel_at_period_end boolean not null default false,
  card_fingerprint text,
  -- Drawn from billing_tickets before the provider is asked: an answer older than the stored one is dropped.
  ticket bigint not null default 0,
  synced_at timestamptz,
  -- The open checkout. The attempt is part of the idempotency key, so that parallel calls get one session.
  checkout_attempt integer not null default 0,
  checkout_session_id text,
  checkout_url text,
  checkout_price_id text,
  checkout_expires_at timestamptz,
  -- The account was deleted or blocked: nothing may be charged any more. Or a dispute was lost: its subscription ends.
  cancel_wanted_at timestamptz,
  cancelled_at timestamptz,
  created_at timestamptz not null default now(),
  primary key (provider, customer_id),
  unique (provider, user_id)
);
create index billing_customers_user on app.billing_customers (user_id);
create index billing_customers_fingerprint on app.billing_customers (card_fingerprint) where card_fingerprint is not null;
create index billing_customers_cancel on app.billing_customers (cancel_wanted_at) where cancel_wanted_at is not null and cancelled_at is null;
create index billing_customers_synced on app.billing_customers (provider, synced_at);

create sequence app.billing_tickets;

-- Every event that was taken, once: the marker is written in the transaction that holds its effect.
create table app.billing_events (
  provider text not null,
  event_id text not null,
  type text not null,
  customer_id text,
  -- applied: the customer was read anew. ignored: another mode, or no matter of ours.
  result text not null check (result in ('applied', 'ignored')),
  -- How it came to us, for the lag on the status page.
  source text not null default 'webhook' check (source in ('webhook', 'reconcile')),
  created_at timestamptz not null,
  received_at timestamptz not null default now(),
  primary key (provider, event_id)
);
create index billing_events_received on app.billing_events (received_at desc);

-- How far a reconcile has read the provider's list of events, and what it found wrong.
create table app.billing_reconciles (
  provider text primary key,
  read_until timestamptz,
  finished_at timestamptz,
  drift integer not null default 0,
  error text
);

-- What was paid. Cents of `currency`; `base_cents` is what was paid without tax.
create table app.billing_invoices (
  provider text not null,
  invoice_id text not null,
  customer_id text not null,
  -- No foreign key: it outlives the account.
  account_id uuid not null,
  number text,
  subscription_id text,
  currency text not null,
  paid_cents bigint not null check (paid_cents >= 0),
  base_cents bigint not null check (base_cents >= 0),
  refunded_cents bigint not null default 0 check (refunded_cents >= 0),
  disputed_cents bigint not null default 0 check (disputed_cents >= 0),
  paid_at timestamptz not null,
  primary key (provider, invoice_id)
);
create index billing_invoices_customer on app.billing_invoices (provider, customer_id, paid_at desc);

-- The sandbox provider keeps its objects here, in the provider's own shapes (server/billing/sandbox/).
create table app.sandbox_objects (
  id text primary key,
  type text not null,
  customer_id text,
  body jsonb not null,
  created_at timestamptz not null default clock_timestamp(),
  ordinal bigint generated always as identity
);
create index sandbox_objects_customer on app.sandbox_objects (type, customer_id, ordinal desc);

-- How far the sandbox's clock has been moved on: one row, and none outside the sandbox.
create table app.sandbox_clock (
  only_row boolean primary key default true check (only_row),
  ahead interval not null default '0'
);

-- The time of day in matters of money: the sandbox can move it on.
create function app.billing_now() returns timestamptz
language sql stable security definer set search_path = '' as $$
  select now() + coalesce((select c.ahead from app.sandbox_clock c), interval '0')
$$;

-- A deleted account is charged no more: the job of server/billing/ cancels what is under way.
create function app.want_cancellation() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  update app.billing_customers c set cancel_wanted_at = now() where c.user_id = old.id;
  return old;
end $$;
create trigger want_cancellation before delete on auth.users
  for each row execute function app.want_cancellation();

-- Free pages carry a mark that paid ones do not: what visitors see changes with the plan.
create function app.notify_plan() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  perform pg_notify('hoplet_names', b.slug) from app.bio_pages b where b.user_id = new.user_id;
  perform pg_notify('hoplet_names', 'popup:' || p.id) from app.popups p where p.user_id = new.user_id;
  return null;
end $$;
create trigger notify after update of plan_type on app.user_plans
  for each row when (old.plan_type is distinct from new.plan_type) execute function app.notify_plan();

do $$
declare
  name text;
begin
  foreach name in array array['billing_customers', 'billing_events', 'billing_reconciles', 'billing_invoices',
    'sandbox_objects', 'sandbox_clock']
  loop
    execute format('alter table app.%I enable row level security', name);
    execute format('alter table app.%I force row level security', name);
    execute format('create policy owner_all on app.%I to hoplet_owner using (true) with check (true)', name);
    execute format('grant select, insert, update on app.%I to hoplet_billing', name);
    execute format('create policy billing_all on app.%I to hoplet_billing using (true) with check (true)', name);
  end loop;
end $$;
grant delete on app.sandbox_objects to hoplet_billing;
grant usage on sequence app.billing_tickets to hoplet_billing;
grant select, update (plan_type) on app.user_plans to hoplet_billing;
create policy billing_read on app.user_plans for select to hoplet_billing using (true);
create policy billing_update on app.user_plans for update to hoplet_billing using (true) with check (true);
grant select (id, email, display_name) on app.profiles to hoplet_billing;
create policy billing_read on app.profiles for select to hoplet_billing using (true);
grant execute on function app.billing_now() to hoplet_billing, hoplet_worker, authenticated, service_role;
grant execute on function app.claims(), app.current_user_id(), app.lookup_key(text) to hoplet_billing;

-- The visit door says whether the owner's plan is free of the mark.
grant select on app.user_plans to hoplet_visits;
create policy visits_read on app.user_plans for select to hoplet_visits using (true);
