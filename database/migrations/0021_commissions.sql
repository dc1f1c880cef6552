-- The ledger of the affiliate programme: append-only, in cents, written from paid invoices only. An invoice may be
-- settled again and again, in any order with its refunds and disputes: each time the missing lines are added.

-- Who brought whom outlives both: the second tier is still owed when the first has left.
alter table app.referrals
  drop constraint referrals_referred_user_id_fkey,
  drop constraint referrals_referrer_user_id_fkey;

create table app.payouts (
  id uuid primary key default gen_random_uuid(),
  affiliate_user_id uuid not null,
  amount_cents bigint not null check (amount_cents > 0),
  reference text check (length(reference) <= 200),
  made_by uuid,
  created_at timestamptz not null default now()
);
create index payouts_newest on app.payouts (created_at desc, id desc);

alter table app.commissions
  add column provider text not null,
  add column invoice_id text not null,
  -- Whose payment it was; never shown to the affiliate.
  add column payer_id uuid not null,
  add column kind text not null check (kind in ('earned', 'refund', 'refund_undone', 'dispute', 'dispute_won')),
  -- Counts the lines of one kind: two partial refunds are two lines.
  add column step integer not null,
  add column rate_percent smallint not null,
  add column base_cents bigint not null,
  -- When it may be paid out.
  add column due_at timestamptz not null,
  add column payout_id uuid references app.payouts,
  add constraint commissions_status check (status in ('pending', 'paid', 'held', 'canceled')),
  add constraint commissions_paid_by_payout check ((status = 'paid') = (payout_id is not null)),
  add constraint commissions_once unique (provider, invoice_id, affiliate_user_id, tier, kind, step);
create index commissions_due on app.commissions (affiliate_user_id, due_at) where status = 'pending';
create index commissions_payout on app.commissions (payout_id) where payout_id is not null;

-- Nothing that was written changes, for nobody: only the state of its payment, and that one way.
create function app.guard_ledger() returns trigger
language plpgsql set search_path = '' as $$
begin
  if tg_op = 'UPDATE'
    and row(new.id, new.affiliate_user_id, new.amount_cents, new.tier, new.created_at, new.provider, new.invoice_id,
        new.payer_id, new.kind, new.step, new.rate_percent, new.base_cents, new.due_at)
      is not distinct from row(old.id, old.affiliate_user_id, old.amount_cents, old.tier, old.created_at, old.provider,
        old.invoice_id, old.payer_id, old.kind, old.step, old.rate_percent, old.base_cents, old.due_at)
    and (old.status = new.status or (old.status, new.status) in (('pending', 'paid'), ('held', 'pending'), ('held', 'canceled'),
      ('pending', 'canceled')))
    and (old.payout_id is null or old.payout_id = new.payout_id)
  then return new; end if;
  raise exception using errcode = 'P0001', message = 'The ledger of commissions is append-only.';
end $$;
create trigger guard before update or delete on app.commissions
  for each row execute function app.guard_ledger();
create trigger guard_truncate before truncate on app.commissions
  for each statement execute function app.guard_ledger();

-- What an affiliate's total holds of a line: held and cancelled ones are not earned.
create function app.counted_cents(status text, cents bigint) returns bigint
language sql immutable set search_path = '' as $$
  select case when status in ('pending', 'paid') then cents else 0 end
$$;

create function app.follow_ledger() returns trigger
language plpgsql security definer set search_path = '' as $$
declare
  change bigint := app.counted_cents(new.status, new.amount_cents)
    - case tg_op when 'UPDATE' then app.counted_cents(old.status, old.amount_cents) else 0 end;
begin
  if change <> 0 then
    update app.affiliate_codes a set total_earnings_cents = a.total_earnings_cents + change
      where a.user_id = new.affiliate_user_id;
  end if;
  return null;
end $$;
create trigger follow after insert or update of status on app.commissions
  for each row execute function app.follow_ledger();

-- A code made after the first line (there is none without a code, but a code can be made anew) starts with its sum.
create function app.before_code_insert() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  new.total_earnings_cents := coalesce((select sum(app.counted_cents(c.status, c.amount_cents)) from app.commissions c
    where c.affiliate_user_id = new.user_id), 0);
  new.total_referrals := (select count(*) from app.referrals r where r.referrer_user_id = new.user_id);
  return new;
end $$;
create trigger before_insert before insert on app.affiliate_codes
  for each row execute function app.before_code_insert();

-- The same mailbox in other words: no +tag, and no dots where the provider ignores them.
create function app.same_mailbox_key(email text) returns text
language sql immutable set search_path = '' as $$
  select case when split_part(lower(email), '@', 2) in ('gmail.com', 'googlemail.com')
      then replace(split_part(split_part(lower(email), '@', 1), '+', 1), '.', '') || '@gmail.com'
    else split_part(split_part(lower(email), '@', 1), '+', 1) || '@' || split_part(lower(email), '@', 2) end
$$;

-- Who can be paid: an account that exists and is not banned.
create function app.may_earn(affiliate uuid) returns boolean
language sql stable security definer set search_path = '' as $$
  select exists (select 1 from auth.users u where u.id = affiliate and (u.banned_until is null or u.banned_until <= now()))
$$;

-- Held until an admin has looked: payer and beneficiary share a mailbox or a card.
create function app.looks_like_one_person(payer uuid, beneficiary uuid) returns boolean
language sql stable security definer set search_path = '' as $$
  select exists (select 1 from auth.users a, auth.users b where a.id = payer and b.id = beneficiary
      and app.same_mailbox_key(a.email) = app.same_mailbox_key(b.email))
    or exists (select 1 from app.billing_customers a join app.billing_customers b on b.card_fingerprint = a.card_fingerprint
      where a.account_id = payer and b.account_id = beneficiary)
$$;

-- Adds the lines that an invoice still lacks. The invoice's row is the lock. Amounts:
--   earned    the tier's rate of what was paid without tax, cents rounded down, so that both tiers stay within 35 %;
--             dated when it was paid, however late we hear of it, so that the hold reads 30 days
--   refund    the share of the earned amount that was refunded, rounded; a full refund takes all of it
--   dispute   the same for what is disputed or lost, out of what refunds have left
create function app.settle_invoice(of_provider text, of_invoice text) returns void
language plpgsql security definer set search_path = '' as $$
declare
  inv app.billing_invoices;
  line app.commissions;
  first_referrer uuid;
  share record;
  refunded bigint;
  disputed bigint;
  reversal record;
  booked bigint;
  change bigint;
begin
  select * into inv from app.billing_invoices i where i.provider = of_provider and i.invoice_id = of_invoice for update;
  if not found or inv.currency <> 'usd' or inv.paid_cents = 0 then return; end if;

  select r.referrer_user_id into first_referrer from app.referrals r where r.referred_user_id = inv.account_id;
  for share in
    select 1 as tier, 25 as rate, first_referrer as beneficiary where first_referrer is not null
    union all
    select 2, 10, r.referrer_user_id from app.referrals r
      where r.referred_user_id = first_referrer and r.referrer_user_id <> inv.account_id
    order by tier
  loop
    continue when inv.base_cents * share.rate / 100 = 0;
    insert into app.commissions (affiliate_user_id, amount_cents, tier, status, provider, invoice_id, payer_id, kind, step,
      rate_percent, base_cents, due_at, created_at)
    values (share.beneficiary, inv.base_cents * share.rate / 100, share.tier,
      case
        when not app.may_earn(share.beneficiary) then 'canceled'
        when app.looks_like_one_person(inv.account_id, share.beneficiary) then 'held'
        else 'pending' end,
      inv.provider, inv.invoice_id, inv.account_id, 'earned', 0, share.rate, inv.base_cents, inv.paid_at + interval '30 days',
      inv.paid_at)
    on conflict do nothing;
  end loop;

  for line in select * from app.commissions c
    where c.provider = inv.provider and c.invoice_id = inv.invoice_id and c.kind = 'earned' order by c.tier
  loop
    refunded := least(line.amount_cents, round(line.amount_cents * inv.refunded_cents::numeric / inv.paid_cents));
    disputed := least(line.amount_cents - refunded, round(line.amount_cents * inv.disputed_cents::numeric / inv.paid_cents));
    for reversal in
      select refunded as due, 'refund' as taken, 'refund_undone' as given
      union all select disputed, 'dispute', 'dispute_won'
    loop
      select -coalesce(sum(c.amount_cents), 0) into booked from app.commissions c
        where c.provider = inv.provider and c.invoice_id = inv.invoice_id and c.affiliate_user_id = line.affiliate_user_id
          and c.tier = line.tier and c.kind in (reversal.taken, reversal.given);
      change := booked - reversal.due;
      continue when change = 0;
      insert into app.commissions (affiliate_user_id, amount_cents, tier, status, provider, invoice_id, payer_id, kind, step,
        rate_percent, base_cents, due_at, created_at)
      select line.affiliate_user_id, change, line.tier,
        -- A line that was never owed is reversed without being owed either.
        case when line.status in ('held', 'canceled') then line.status else 'pending' end,
        inv.provider, inv.invoice_id, inv.account_id, k.kind,
        (select count(*) from app.commissions c where c.provider = inv.provider and c.invoice_id = inv.invoice_id
          and c.affiliate_user_id = line.affiliate_user_id and c.tier = line.tier and c.kind = k.kind),
        line.rate_percent, line.base_cents, greatest(line.due_at, app.billing_now()),
        greatest(line.created_at, app.billing_now())
      from (select case when change < 0 then reversal.taken else reversal.given end as kind) k;
    end loop;
  end loop;
end $$;

-- Pays out everything of an affiliate that is due, as one payout: earned lines less the reversals of whatever was paid
-- before. Null when nothing is left to pay.
create function app.make_payout(affiliate uuid, by_admin uuid, with_reference text) returns uuid
language plpgsql security definer set search_path = '' as $$
declare
  due_lines uuid[];
  due_cents bigint;
  payout uuid;
begin
  if not app.may_earn(affiliate) then return null; end if;
  -- Two admins at once: the second finds nothing left. Every new line writes this row too, so none comes in between.
  perform 1 from app.affiliate_codes a where a.user_id = affiliate for update;
  select array_agg(due.id), sum(due.amount_cents) into due_lines, due_cents from (
    select c.id, c.amount_cents from app.commissions c
      where c.affiliate_user_id = affiliate and c.status = 'pending' and c.due_at <= app.billing_now()
      order by c.id for update
  ) due;
  if coalesce(due_cents, 0) <= 0 then return null; end if;
  insert into app.payouts (affiliate_user_id, amount_cents, reference, made_by, created_at)
    values (affiliate, due_cents, with_reference, by_admin, app.billing_now()) returning id into payout;
  update app.commissions c set status = 'paid', payout_id = payout where c.id = any (due_lines);
  return payout;
end $$;

-- A payout is a fact as well.
create function app.guard_payouts() returns trigger
language plpgsql set search_path = '' as $$
begin
  raise exception using errcode = 'P0001', message = 'Payouts are append-only.';
end $$;
create trigger guard before update or delete on app.payouts
  for each row execute function app.guard_payouts();
create trigger guard_truncate before truncate on app.payouts
  for each statement execute function app.guard_payouts();

alter table app.payouts enable row level security;
alter table app.payouts force row level security;
create policy owner_all on app.payouts to hoplet_owner using (true) with check (true);

-- Column by column from now on: who paid is nobody's to read.
revoke select on app.commissions from authenticated;
grant select (id, affiliate_user_id, amount_cents, tier, status, created_at) on app.commissions to authenticated;

grant execute on function app.settle_invoice(text, text) to hoplet_billing;
