-- Payments. The provider's own records are the truth; these tables hold what we last read of them and what we did about
-- it. They belong to hoplet_billing, a role of its own; no API role can name them.

-- One customer per person and provider, bound before the first checkout. The row outlives the account: its subscription
-- has still to be canceled, and the ledger refers to its invoices.
create table app.billing_customers (
  provider text not null check (provider in ('stripe', 'play_money')),
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
  -- Drawn from billing_tickets before the provider is asked: a snapshot older than the stored one is dropped.
  ticket bigint not null default 0,
  synced_at timestamptz,
  -- The open checkout. The attempt is part of the idempotency key, so that parallel calls get one session.
  checkout_attempt integer not null default 0,
  checkout_session_id text,
  checkout_price_id text,
  -- The account was deleted or blocked: nothing may be charged. Or a dispute was lost: its subscription ends.
  cancel_requested_at timestamptz,
  canceled_at timestamptz,
  -- Play money was turned off: the plan that ended with it (app.void_play_money).
  voided_plan text check (voided_plan in ('pro', 'business')),
  voided_at timestamptz,
  created_at timestamptz not null default now(),
  primary key (provider, customer_id),
  unique (provider, user_id)
);
create index billing_customers_user on app.billing_customers (user_id);
create index billing_customers_fingerprint on app.billing_customers (card_fingerprint)
  where card_fingerprint is not null;
create index billing_customers_cancel on app.billing_customers (cancel_requested_at)
  where cancel_requested_at is not null and canceled_at is null;
create index billing_customers_synced on app.billing_customers (provider, synced_at);

create sequence app.billing_tickets;

-- Every event that was handled, once: the marker is written in the transaction that holds its effect.
create table app.billing_events (
  provider text not null,
  event_id text not null,
  type text not null,
  customer_id text,
  -- applied: the customer was read again. ignored: another mode, or a foreign customer.
  result text not null check (result in ('applied', 'ignored')),
  -- How it arrived, for the lag on the status page.
  source text not null default 'webhook' check (source in ('webhook', 'reconcile')),
  created_at timestamptz not null,
  received_at timestamptz not null default now(),
  primary key (provider, event_id)
);
create index billing_events_received on app.billing_events (received_at desc);

-- How far the reconcile job has read the provider's list of events, and what it found wrong. The lease keeps other
-- processes from running it at the same time; no transaction stays open while the provider is asked.
create table app.billing_reconciles (
  provider text primary key,
  lease_id uuid,
  leased_until timestamptz,
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

-- Play money (server/billing/play-money/) keeps its customers, its pages and its clock here. Nothing else reads them,
-- and no function of real money knows them.
create table app.play_money_customers (
  id text primary key,
  account_id uuid not null,
  -- Card, subscriptions and invoices: PlayAccount in server/billing/play-money/account.ts.
  account jsonb not null,
  -- Each version is an event; delivered_version is the latest that was handled.
  version bigint not null default 0,
  delivered_version bigint not null default 0,
  changed_at timestamptz not null default now()
);
create index play_money_customers_account on app.play_money_customers (account_id);
create index play_money_customers_waiting on app.play_money_customers (changed_at) where delivered_version < version;

create table app.play_money_pages (
  id text primary key,
  kind text not null check (kind in ('checkout', 'portal')),
  customer_id text not null references app.play_money_customers on delete cascade,
  -- Checkout: what it sells. Portal: the change to confirm.
  price_id text,
  success_url text not null,
  back_url text not null,
  status text not null default 'open' check (status in ('open', 'paid', 'expired')),
  idempotency_key text unique,
  expires_at timestamptz not null
);
create index play_money_pages_customer on app.play_money_pages (customer_id);
create index play_money_pages_expires on app.play_money_pages (expires_at);

-- How far its clock is ahead: one row.
create table app.play_money_clock (
  only_row boolean primary key default true check (only_row),
  ahead interval not null default '0'
);

insert into app.play_money_clock default values;

alter table app.billing_customers enable row level security, force row level security;
create policy owner_all on app.billing_customers to hoplet_owner using (true) with check (true);
alter table app.billing_events enable row level security, force row level security;
create policy owner_all on app.billing_events to hoplet_owner using (true) with check (true);
alter table app.billing_reconciles enable row level security, force row level security;
create policy owner_all on app.billing_reconciles to hoplet_owner using (true) with check (true);
alter table app.billing_invoices enable row level security, force row level security;
create policy owner_all on app.billing_invoices to hoplet_owner using (true) with check (true);
alter table app.play_money_customers enable row level security, force row level security;
create policy owner_all on app.play_money_customers to hoplet_owner using (true) with check (true);
alter table app.play_money_pages enable row level security, force row level security;
create policy owner_all on app.play_money_pages to hoplet_owner using (true) with check (true);
alter table app.play_money_clock enable row level security, force row level security;
create policy owner_all on app.play_money_clock to hoplet_owner using (true) with check (true);

grant select, insert, update on app.billing_customers, app.billing_events, app.billing_reconciles, app.billing_invoices,
  app.play_money_customers, app.play_money_pages, app.play_money_clock to hoplet_billing;

grant delete on app.play_money_pages, app.billing_events to hoplet_billing;

grant usage on sequence app.billing_tickets to hoplet_billing;
