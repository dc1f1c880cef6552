-- Payments. The provider's own records are the truth; these tables hold what we last read of them and what we did about
-- it. They belong to hoplet_billing, a role of its own; no API role can name them.

-- One customer per person and provider, bound before the first checkout. The row outlives the account: its subscription
-- has still to be canceled, and the ledger refers to its invoices.
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

-- Every event that was handled, once: the marker is written in the transaction that holds its effect.
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

alter table app.billing_customers enable row level security;
alter table app.billing_customers force row level security;
create policy owner_all on app.billing_customers to hoplet_owner using (true) with check (true);
alter table app.billing_events enable row level security;
alter table app.billing_events force row level security;
create policy owner_all on app.billing_events to hoplet_owner using (true) with check (true);
alter table app.billing_reconciles enable row level security;
alter table app.billing_reconciles force row level security;
create policy owner_all on app.billing_reconciles to hoplet_owner using (true) with check (true);
alter table app.billing_invoices enable row level security;
alter table app.billing_invoices force row level security;
create policy owner_all on app.billing_invoices to hoplet_owner using (true) with check (true);
alter table app.sandbox_objects enable row level security;
alter table app.sandbox_objects force row level security;
create policy owner_all on app.sandbox_objects to hoplet_owner using (true) with check (true);
alter table app.sandbox_clock enable row level security;
alter table app.sandbox_clock force row level security;
create policy owner_all on app.sandbox_clock to hoplet_owner using (true) with check (true);

grant select, insert, update on app.billing_customers, app.billing_events, app.billing_reconciles, app.billing_invoices,
  app.sandbox_objects, app.sandbox_clock to hoplet_billing;
grant delete on app.sandbox_objects to hoplet_billing;
create policy billing_all on app.billing_customers to hoplet_billing using (true) with check (true);
create policy billing_all on app.billing_events to hoplet_billing using (true) with check (true);
create policy billing_all on app.billing_reconciles to hoplet_billing using (true) with check (true);
create policy billing_all on app.billing_invoices to hoplet_billing using (true) with check (true);
create policy billing_all on app.sandbox_objects to hoplet_billing using (true) with check (true);
create policy billing_all on app.sandbox_clock to hoplet_billing using (true) with check (true);
grant usage on sequence app.billing_tickets to hoplet_billing;
grant execute on function app.billing_now() to hoplet_billing, hoplet_worker, authenticated, service_role;
