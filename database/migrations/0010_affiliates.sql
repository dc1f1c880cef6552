-- Referrals, and the ledger of the affiliate program: append-only, in cents, written from paid invoices only. An
-- invoice may be settled again and again, in any order with its refunds and disputes: each time the missing lines are
-- added.

create table app.affiliate_codes (
  user_id uuid primary key default app.current_user_id() references auth.users on delete cascade,
  code text not null unique check (code ~ '^[A-Z0-9]{8}$'),
  total_referrals integer not null default 0 check (total_referrals >= 0),
  total_earnings_cents bigint not null default 0
);

-- One referrer per user, set once, always the older account: so no cycle and no self-referral can exist. The row
-- outlives both accounts (no foreign keys): the second tier is still owed when the first has left.
create table app.referrals (
  referred_user_id uuid primary key,
  referrer_user_id uuid not null,
  created_at timestamptz not null default now(),
  check (referred_user_id <> referrer_user_id)
);
create index referrals_referrer on app.referrals (referrer_user_id);

create table app.payouts (
  id uuid primary key default gen_random_uuid(),
  affiliate_user_id uuid not null,
  amount_cents bigint not null check (amount_cents > 0),
  reference text check (length(reference) <= 200),
  made_by uuid,
  created_at timestamptz not null default now()
);
create index payouts_newest on app.payouts (created_at desc, id desc);
create index payouts_affiliate on app.payouts (affiliate_user_id);

-- One line per movement. It outlives the accounts that it refers to, so its user ids are not foreign keys.
create table app.commissions (
  id uuid primary key default gen_random_uuid(),
  affiliate_user_id uuid not null,
  amount_cents bigint not null,
  tier smallint not null check (tier in (1, 2)),
  status text not null default 'pending',
  created_at timestamptz not null default now(),
  provider text not null,
  invoice_id text not null,
  -- Whose payment it was; never shown to the affiliate.
  payer_id uuid not null,
  kind text not null check (kind in ('earned', 'refund', 'refund_undone', 'dispute', 'dispute_won')),
  -- Counts the lines of one kind: two partial refunds are two lines.
  step integer not null,
  rate_percent smallint not null,
  base_cents bigint not null,
  -- When it may be paid out.
  due_at timestamptz not null,
  payout_id uuid references app.payouts,
  constraint commissions_status check (status in ('pending', 'paid', 'held', 'canceled')),
  constraint commissions_paid_by_payout check ((status = 'paid') = (payout_id is not null)),
  constraint commissions_play_money_unpaid check (provider <> 'play_money' or payout_id is null),
  constraint commissions_once unique (provider, invoice_id, affiliate_user_id, tier, kind, step)
);
create index commissions_newest on app.commissions (affiliate_user_id, created_at desc, id desc);
create index commissions_due on app.commissions (affiliate_user_id, due_at) where status = 'pending';
create index commissions_payout on app.commissions (payout_id) where payout_id is not null;
create index commissions_held on app.commissions (created_at) where status = 'held';
create index commissions_play_money on app.commissions (id) where provider = 'play_money'
  and status in ('pending', 'held');

-- Who may touch which row: one's own code, made once; the ledger is read-only, column by column, because affiliates
-- must not see who paid.
alter table app.affiliate_codes enable row level security, force row level security;
create policy owner_all on app.affiliate_codes to hoplet_owner using (true) with check (true);
alter table app.referrals enable row level security, force row level security;
create policy owner_all on app.referrals to hoplet_owner using (true) with check (true);
alter table app.payouts enable row level security, force row level security;
create policy owner_all on app.payouts to hoplet_owner using (true) with check (true);
alter table app.commissions enable row level security, force row level security;
create policy owner_all on app.commissions to hoplet_owner using (true) with check (true);

grant select, insert, update, delete on app.affiliate_codes to service_role;

grant select (user_id, code, total_referrals, total_earnings_cents),
  insert (user_id, code) on app.affiliate_codes to authenticated;
grant select on app.commissions to service_role;
grant select (id, affiliate_user_id, amount_cents, tier, status, created_at) on app.commissions to authenticated;
