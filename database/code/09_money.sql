-- Billing --

-- A deleted account is charged no more: the job in server/billing/ cancels its subscription.
create function app.request_cancellation() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  update app.billing_customers c set cancel_requested_at = now() where c.user_id = old.id;
  return old;
end $$;
create trigger request_cancellation before delete on auth.users
  for each row execute function app.request_cancellation();

create policy billing_all on app.billing_customers to hoplet_billing using (true) with check (true);
create policy billing_all on app.billing_events to hoplet_billing using (true) with check (true);
create policy billing_all on app.billing_reconciles to hoplet_billing using (true) with check (true);
create policy billing_all on app.billing_invoices to hoplet_billing using (true) with check (true);
create policy billing_all on app.play_money_customers to hoplet_billing using (true) with check (true);
create policy billing_all on app.play_money_pages to hoplet_billing using (true) with check (true);
create policy billing_all on app.play_money_clock to hoplet_billing using (true) with check (true);

-- Affiliates and commissions --

-- Records a referral if the rules allow it: one referrer, an older account, within 24 hours of sign-up.
create function app.record_referral(referred uuid, referrer_code text) returns boolean
language plpgsql security definer set search_path = '' as $$
declare
  newcomer timestamptz;
  referrer record;
begin
  select u.created_at into newcomer from auth.users u where u.id = referred;
  select u.id, u.created_at into referrer from app.affiliate_codes a join auth.users u on u.id = a.user_id
    where a.code = upper(btrim(referrer_code));
  if newcomer is null or referrer.id is null or referrer.id = referred
      or referrer.created_at >= newcomer or newcomer < now() - interval '24 hours' then
    return false;
  end if;
  insert into app.referrals (referred_user_id, referrer_user_id) values (referred, referrer.id) on conflict do nothing;
  -- Recorded before, at sign-up for example: true if it names this referrer.
  if not found then
    return exists (select from app.referrals r
      where r.referred_user_id = referred and r.referrer_user_id = referrer.id);
  end if;
  update app.affiliate_codes a set total_referrals = a.total_referrals + 1 where a.user_id = referrer.id;
  return true;
end $$;

-- When the owner of an address takes over an account: deletes everything that acts for its creator, or remembers them.
create function app.delete_claims(account uuid) returns void
language plpgsql security definer set search_path = '' as $$
declare
  referrer uuid;
begin
  delete from app.referrals r where r.referred_user_id = account
    and not exists (select 1 from app.commissions c where c.payer_id = account)
    returning r.referrer_user_id into referrer;
  update app.affiliate_codes a set total_referrals = greatest(a.total_referrals - 1, 0) where a.user_id = referrer;
  update app.profiles set display_name = null, time_zone = null, label_settings = null where id = account;
  -- With their events.
  delete from app.webhooks w where w.user_id = account;
  delete from app.click_mails m where m.user_id = account;
  -- Their addresses are known to the creator.
  delete from app.shared_reports s where s.user_id = account;
  delete from app.own_visitors v where v.user_id = account;
  -- One under way would go on making links of its creator.
  delete from app.imports i where i.user_id = account;
  -- Their files go by the job (server/transfer/archive/).
  update app.archives a set user_id = null where a.user_id = account;
  delete from app.idempotent_requests r where r.user_id = account;
end $$;

-- Written lines never change, for any role; only the state of their payment does, in one direction.
create function app.guard_ledger() returns trigger
language plpgsql set search_path = '' as $$
begin
  if tg_op = 'UPDATE'
    and row(new.id, new.affiliate_user_id, new.amount_cents, new.tier, new.created_at, new.provider, new.invoice_id,
        new.payer_id, new.kind, new.step, new.rate_percent, new.base_cents, new.due_at)
      is not distinct from row(old.id, old.affiliate_user_id, old.amount_cents, old.tier, old.created_at, old.provider,
        old.invoice_id, old.payer_id, old.kind, old.step, old.rate_percent, old.base_cents, old.due_at)
    and (old.status = new.status or (old.status, new.status) in
      (('pending', 'paid'), ('held', 'pending'), ('held', 'canceled'), ('pending', 'canceled')))
    and (old.payout_id is null or old.payout_id = new.payout_id)
  then return new; end if;
  raise exception using errcode = 'P0001', message = 'The ledger of commissions is append-only.';
end $$;
create trigger guard before update or delete on app.commissions
  for each row execute function app.guard_ledger();
create trigger guard_truncate before truncate on app.commissions
  for each statement execute function app.guard_ledger();

-- The part of a line that counts towards the affiliate's total: held and canceled lines are not earned.
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

-- A code that is created after the first line (an earlier code was deleted) starts with the sum of the ledger.
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

-- The mailbox of an address: no +tag, and no dots where the provider ignores them.
create function app.same_mailbox_key(email text) returns text
language sql immutable set search_path = '' as $$
  select case when split_part(lower(email), '@', 2) in ('gmail.com', 'googlemail.com')
      then replace(split_part(split_part(lower(email), '@', 1), '+', 1), '.', '') || '@gmail.com'
    else split_part(split_part(lower(email), '@', 1), '+', 1) || '@' || split_part(lower(email), '@', 2) end
$$;

-- Can be paid: an account that exists and is neither banned nor blocked.
create function app.may_earn(affiliate uuid) returns boolean
language sql stable security definer set search_path = '' as $$
  select exists (select 1 from auth.users u where u.id = affiliate
    and (u.banned_until is null or u.banned_until <= now())) and app.block_of(null, affiliate, null) is null
$$;

-- Held for review by an admin: payer and beneficiary share a mailbox or a card.
create function app.looks_like_one_person(payer uuid, beneficiary uuid) returns boolean
language sql stable security definer set search_path = '' as $$
  select exists (select 1 from auth.users a, auth.users b where a.id = payer and b.id = beneficiary
      and app.same_mailbox_key(a.email) = app.same_mailbox_key(b.email))
    or exists (select 1 from app.billing_customers a
      join app.billing_customers b on b.card_fingerprint = a.card_fingerprint
      where a.account_id = payer and b.account_id = beneficiary)
$$;

-- Adds the lines that an invoice still lacks. The invoice's row is the lock. Amounts:
--   earned    the tier's rate of the payment without tax, cents rounded down, so that both tiers stay within 35 %;
--             dated when it was paid, however late we hear of it, so that the hold reads 30 days
--   refund    the share of the earned amount that was refunded, rounded; a full refund takes all of it
--   dispute   the share that is disputed or lost, of the amount after refunds
create function app.settle_invoice(of_provider text, of_invoice text) returns void
language plpgsql security definer set search_path = '' as $$
declare
  inv app.billing_invoices;
  line app.commissions;
  payer uuid;
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

  -- For a space pays the person who made it.
  payer := coalesce((select s.made_by from app.spaces s where s.id = inv.account_id), inv.account_id);
  select r.referrer_user_id into first_referrer from app.referrals r where r.referred_user_id = payer;
  for share in
    select 1 as tier, 25 as rate, first_referrer as beneficiary where first_referrer is not null
    union all
    select 2, 10, r.referrer_user_id from app.referrals r
      where r.referred_user_id = first_referrer and r.referrer_user_id <> payer
    order by tier
  loop
    continue when inv.base_cents * share.rate / 100 = 0;
    insert into app.commissions (affiliate_user_id, amount_cents, tier, status, provider, invoice_id, payer_id,
      kind, step, rate_percent, base_cents, due_at, created_at)
    values (share.beneficiary, inv.base_cents * share.rate / 100, share.tier,
      case
        when not app.may_earn(share.beneficiary) then 'canceled'
        when app.looks_like_one_person(payer, share.beneficiary)
          or app.looks_like_one_person(inv.account_id, share.beneficiary) then 'held'
        else 'pending' end,
      inv.provider, inv.invoice_id, payer, 'earned', 0, share.rate, inv.base_cents,
      inv.paid_at + interval '30 days', inv.paid_at)
    on conflict do nothing;
  end loop;

  for line in select * from app.commissions c
    where c.provider = inv.provider and c.invoice_id = inv.invoice_id and c.kind = 'earned' order by c.tier
  loop
    refunded := least(line.amount_cents, round(line.amount_cents * inv.refunded_cents::numeric / inv.paid_cents));
    disputed := least(line.amount_cents - refunded,
      round(line.amount_cents * inv.disputed_cents::numeric / inv.paid_cents));
    for reversal in
      select refunded as due, 'refund' as taken, 'refund_undone' as given
      union all select disputed, 'dispute', 'dispute_won'
    loop
      select -coalesce(sum(c.amount_cents), 0) into booked from app.commissions c
        where c.provider = inv.provider and c.invoice_id = inv.invoice_id
          and c.affiliate_user_id = line.affiliate_user_id and c.tier = line.tier
          and c.kind in (reversal.taken, reversal.given);
      change := booked - reversal.due;
      continue when change = 0;
      insert into app.commissions (affiliate_user_id, amount_cents, tier, status, provider, invoice_id, payer_id,
        kind, step, rate_percent, base_cents, due_at, created_at)
      select line.affiliate_user_id, change, line.tier,
        -- The reversal of a line that was never owed is not owed either.
        case when line.status in ('held', 'canceled') then line.status else 'pending' end,
        inv.provider, inv.invoice_id, line.payer_id, k.kind,
        (select count(*) from app.commissions c where c.provider = inv.provider and c.invoice_id = inv.invoice_id
          and c.affiliate_user_id = line.affiliate_user_id and c.tier = line.tier and c.kind = k.kind),
        line.rate_percent, line.base_cents, greatest(line.due_at, now()), greatest(line.created_at, now())
      from (select case when change < 0 then reversal.taken else reversal.given end as kind) k;
    end loop;
  end loop;
end $$;

-- Pays out everything of an affiliate that is due, as one payout: earned lines less the reversals of payments
-- before. Play money is never paid out. Null when nothing is left to pay; refused when the sum is not the expected one.
create function app.make_payout(affiliate uuid, by_admin uuid, with_reference text, expected_cents bigint default null)
returns uuid
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
      where c.affiliate_user_id = affiliate and c.status = 'pending' and c.due_at <= now()
        and c.provider <> 'play_money'
      order by c.id for update
  ) due;
  if coalesce(due_cents, 0) <= 0 then return null; end if;
  if due_cents <> expected_cents then
    raise exception using errcode = 'P0001', message = format('The amount due has changed to $%s.',
      to_char(due_cents / 100.0, 'FM999,999,999,990.00'));
  end if;
  insert into app.payouts (affiliate_user_id, amount_cents, reference, made_by, created_at)
    values (affiliate, due_cents, with_reference, by_admin, now()) returning id into payout;
  update app.commissions c set status = 'paid', payout_id = payout where c.id = any (due_lines);
  return payout;
end $$;

-- Play money was turned off. Its plans fall to free, unless an admin has set another plan; its commissions are
-- canceled; its own records are deleted. Idempotent.
create function app.void_play_money(out plans integer, out commissions integer)
language plpgsql security definer set search_path = '' as $$
begin
  with voided as (
    update app.billing_customers c set voided_plan = nullif(c.plan, 'free'), voided_at = now(), plan = 'free',
        subscription_id = null, status = null, price_id = null, period_end = null, canceled_at = now()
      where c.provider = 'play_money' and c.voided_at is null
      returning c.user_id, c.voided_plan
  )
  update app.user_plans l set plan_type = 'free' from voided v
    where l.user_id = v.user_id and l.plan_type = v.voided_plan;
  get diagnostics plans = row_count;
  update app.commissions c set status = 'canceled' where c.provider = 'play_money' and c.status in ('pending', 'held');
  get diagnostics commissions = row_count;
  delete from app.play_money_customers;
  update app.play_money_clock set ahead = '0' where ahead <> '0';
end $$;

-- Payouts are append-only, like the ledger.
create function app.guard_payouts() returns trigger
language plpgsql set search_path = '' as $$
begin
  raise exception using errcode = 'P0001', message = 'Payouts are append-only.';
end $$;
create trigger guard before update or delete on app.payouts
  for each row execute function app.guard_payouts();
create trigger guard_truncate before truncate on app.payouts
  for each statement execute function app.guard_payouts();

create policy service_all on app.affiliate_codes to service_role using (true) with check (true);
create policy own_read on app.affiliate_codes for select to authenticated
  using (user_id = (select app.current_user_id()));
create policy own_insert on app.affiliate_codes for insert to authenticated
  with check (user_id = (select app.current_user_id()));
create policy service_read on app.commissions for select to service_role using (true);
create policy own_read on app.commissions for select to authenticated
  using (affiliate_user_id = (select app.current_user_id()));

-- The caller's referrals in their order: 'sign-up #3'. The number and the month are all that an affiliate learns of
-- them.
create function app.numbered_sign_ups(affiliate uuid)
returns table (user_id uuid, number bigint, month text)
language sql stable security definer set search_path = '' as $$
  select r.referred_user_id, row_number() over (order by r.created_at, r.referred_user_id),
    to_char(r.created_at at time zone 'utc', 'YYYY-MM')
  from app.referrals r where r.referrer_user_id = affiliate
$$;

-- The caller's earnings, due and paid amounts, and twelve months of them. A reversal counts in the month of the
-- commission that it takes back, so `earned_cents` is the remainder of each month: the months add up to the total.
create function api.affiliate_summary() returns jsonb
language sql stable security definer set search_path = '' as $$
  with mine as materialized (
    select c.amount_cents, c.status, c.kind, c.due_at, c.due_at <= now() as is_due,
      date_trunc('month', e.created_at at time zone 'utc') as month
    from app.commissions c
      join app.commissions e on e.provider = c.provider and e.invoice_id = c.invoice_id
        and e.affiliate_user_id = c.affiliate_user_id and e.tier = c.tier and e.kind = 'earned'
    where c.affiliate_user_id = (select app.current_user_id())
  ),
  -- The amount that falls due on one day (UTC), less its reversals, if anything is left.
  coming as (
    select min(m.due_at) as due_at, sum(m.amount_cents) as cents from mine m
    where m.status = 'pending' and not m.is_due group by date_trunc('day', m.due_at at time zone 'utc')
    having sum(m.amount_cents) > 0 order by 1 limit 1
  ),
  -- Usually this month. The clock of play money may be ahead.
  latest as (
    select greatest(date_trunc('month', now() at time zone 'utc'), max(m.month)) as month from mine m
  ),
  months as (
    select first_day as month,
      (select coalesce(sum(m.amount_cents), 0) as earned
        from mine m where m.month = first_day and m.status in ('pending', 'paid')),
      (select coalesce(-sum(m.amount_cents) filter (where m.kind <> 'earned'), 0) as reversed
        from mine m where m.month = first_day and m.status in ('pending', 'paid')),
      (select count(*) as sign_ups from app.referrals r where r.referrer_user_id = (select app.current_user_id())
        and date_trunc('month', r.created_at at time zone 'utc') = first_day)
    from latest l, generate_series(l.month - interval '11 months', l.month, interval '1 month') as first_day
  )
  select jsonb_build_object(
    'pending_cents', (select coalesce(sum(m.amount_cents), 0) from mine m where m.status = 'pending' and not m.is_due),
    'due_cents', (select coalesce(sum(m.amount_cents), 0) from mine m where m.status = 'pending' and m.is_due),
    'paid_cents', (select coalesce(sum(m.amount_cents), 0) from mine m where m.status = 'paid'),
    'held_cents', (select coalesce(sum(m.amount_cents), 0) from mine m where m.status = 'held'),
    'next_due_at', (select c.due_at from coming c),
    'next_due_cents', (select c.cents from coming c),
    'months', (select jsonb_agg(jsonb_build_object('month', to_char(m.month, 'YYYY-MM'), 'earned_cents', m.earned,
      'reversed_cents', m.reversed, 'sign_ups', m.sign_ups) order by m.month) from months m))
$$;

-- The caller's lines, newest first, from a (created_at, id) cursor on, each with the reason why it exists. A line of
-- the second tier names the caller's own sign-up, who brought the one that paid. An invoice's reference only serves to
-- tell two invoices apart.
create function api.commission_lines(_before_created_at timestamptz default null, _before_id uuid default null,
  _limit integer default 10) returns jsonb
language sql stable security definer set search_path = '' as $$
  with page as (
    select c.* from app.commissions c
    where c.affiliate_user_id = (select app.current_user_id())
      and (c.created_at, c.id) < (coalesce(_before_created_at, 'infinity'),
        coalesce(_before_id, case when _before_created_at is null then 'ffffffff-ffff-ffff-ffff-ffffffffffff'
          else '00000000-0000-0000-0000-000000000000' end::uuid))
    order by c.created_at desc, c.id desc limit least(greatest(coalesce(_limit, 10), 1), 100)
  )
  select coalesce(jsonb_agg(jsonb_build_object(
    'id', p.id, 'created_at', p.created_at, 'amount_cents', p.amount_cents, 'tier', p.tier, 'status', p.status,
    'kind', p.kind, 'rate_percent', p.rate_percent, 'base_cents', p.base_cents, 'due_at', p.due_at,
    'is_due', p.due_at <= now(), 'is_play_money', p.provider = 'play_money',
    'sign_up_number', s.number, 'sign_up_month', s.month,
    'invoice_ref', upper(left(encode(sha256(convert_to(p.affiliate_user_id || ':' || p.provider || ':' || p.invoice_id,
      'utf8')), 'hex'), 8)))
    order by p.created_at desc, p.id desc), '[]')
  from page p
  left join app.referrals brought on p.tier = 2 and brought.referred_user_id = p.payer_id
  left join app.numbered_sign_ups((select app.current_user_id())) s
    on s.user_id = case p.tier when 1 then p.payer_id else brought.referrer_user_id end
$$;

-- Payees and amounts. Leaves out banned and blocked affiliates and those with more reversals than due commissions.
create function api.admin_payouts_due() returns jsonb
language plpgsql stable security definer set search_path = '' as $$
begin
  perform app.require_admin();
  return (
    with sums as (
      select c.affiliate_user_id,
        coalesce(sum(c.amount_cents) filter (where c.status = 'pending' and c.due_at <= now()), 0) as due_cents,
        coalesce(sum(c.amount_cents) filter (where c.status = 'pending' and c.due_at > now()), 0) as pending_cents,
        coalesce(sum(c.amount_cents) filter (where c.status = 'held'), 0) as held_cents,
        count(*) filter (where c.status = 'pending' and c.due_at <= now()) as lines
      from app.commissions c where c.status in ('pending', 'held') and c.provider <> 'play_money' group by 1
    )
    select coalesce(jsonb_agg(jsonb_build_object('affiliate_user_id', s.affiliate_user_id, 'email', p.email,
      'code', a.code, 'due_cents', s.due_cents, 'held_cents', s.held_cents, 'pending_cents', s.pending_cents,
      'lines', s.lines)
      order by s.due_cents desc, s.affiliate_user_id), '[]')
    from sums s left join app.profiles p on p.id = s.affiliate_user_id
      left join app.affiliate_codes a on a.user_id = s.affiliate_user_id
    where s.due_cents > 0 and app.may_earn(s.affiliate_user_id));
end $$;

-- Books that an admin has paid everything due to this affiliate: {id, amount_cents}, or null when nothing is due.
-- Refused when it is not the amount that the admin saw.
create function api.admin_make_payout(_affiliate uuid, _reference text default null,
  _expected_cents bigint default null) returns jsonb
language plpgsql volatile security definer set search_path = '' as $$
declare
  made uuid;
  paid app.payouts;
begin
  perform app.require_admin();
  made := app.make_payout(_affiliate, app.current_user_id(), nullif(left(btrim(_reference), 200), ''),
    _expected_cents);
  if made is null then return null; end if;
  select * into paid from app.payouts p where p.id = made;
  perform app.audit('payout.make', 'affiliate', _affiliate::text, null,
    jsonb_build_object('payout_id', paid.id, 'amount_cents', paid.amount_cents, 'reference', paid.reference));
  return jsonb_build_object('id', paid.id, 'amount_cents', paid.amount_cents);
end $$;

-- Payouts, newest first from a cursor on. The address is null when the account is gone.
create function api.admin_payouts(_limit integer default 100, _before_created_at timestamptz default null,
  _before_id uuid default null) returns jsonb
language plpgsql stable security definer set search_path = '' as $$
begin
  perform app.require_admin();
  return (
    select coalesce(jsonb_agg(jsonb_build_object('id', o.id, 'affiliate_user_id', o.affiliate_user_id, 'email', p.email,
      'amount_cents', o.amount_cents, 'reference', o.reference, 'made_by', o.made_by, 'made_by_email', m.email,
      'created_at', o.created_at) order by o.created_at desc, o.id desc), '[]')
    from (select * from app.payouts q
        where (q.created_at, q.id) < (coalesce(_before_created_at, 'infinity'),
          coalesce(_before_id, 'ffffffff-ffff-ffff-ffff-ffffffffffff'))
        order by q.created_at desc, q.id desc
        limit least(greatest(coalesce(_limit, 100), 1), 10000)) o
      left join app.profiles p on p.id = o.affiliate_user_id left join app.profiles m on m.id = o.made_by);
end $$;

-- Earnings that wait for an admin, because payer and beneficiary look like one person. An invoice's reversals are in
-- the sum.
create function api.admin_held_commissions() returns jsonb
language plpgsql stable security definer set search_path = '' as $$
begin
  perform app.require_admin();
  return (
    select coalesce(jsonb_agg(jsonb_build_object('id', c.id, 'affiliate_user_id', c.affiliate_user_id, 'email', b.email,
      'payer_email', y.email, 'tier', c.tier, 'base_cents', c.base_cents, 'rate_percent', c.rate_percent,
      'amount_cents', (select sum(l.amount_cents) from app.commissions l where l.provider = c.provider
        and l.invoice_id = c.invoice_id and l.affiliate_user_id = c.affiliate_user_id and l.tier = c.tier),
      'same_mailbox', coalesce(app.same_mailbox_key(b.email) = app.same_mailbox_key(y.email), false),
      'created_at', c.created_at, 'due_at', c.due_at) order by c.created_at, c.id), '[]')
    from app.commissions c left join app.profiles b on b.id = c.affiliate_user_id
      left join app.profiles y on y.id = c.payer_id
    where c.status = 'held' and c.kind = 'earned');
end $$;

-- Releases the held commissions of an invoice for one beneficiary, or cancels it; its reversals go with it.
create function api.admin_decide_held(_id uuid, _release boolean) returns void
language plpgsql volatile security definer set search_path = '' as $$
declare
  line app.commissions;
  cents bigint;
begin
  perform app.require_admin();
  select * into line from app.commissions c where c.id = _id;
  -- Like settle_invoice: a parallel refund is booked before or after, and never stays held.
  perform 1 from app.billing_invoices i where i.provider = line.provider and i.invoice_id = line.invoice_id for update;
  with decided as (
    update app.commissions c set status = case when _release then 'pending' else 'canceled' end
    where c.provider = line.provider and c.invoice_id = line.invoice_id and c.affiliate_user_id = line.affiliate_user_id
      and c.tier = line.tier and c.status = 'held' and _release is not null
    returning c.amount_cents
  )
  select sum(d.amount_cents) into cents from decided d;
  if cents is null then
    raise exception using errcode = 'P0001', message = 'This commission is not held any more.';
  end if;
  perform app.audit(case when _release then 'commission.release' else 'commission.cancel' end, 'affiliate',
    line.affiliate_user_id::text, jsonb_build_object('status', 'held'),
    jsonb_build_object('commission_id', _id, 'amount_cents', cents,
      'status', case when _release then 'pending' else 'canceled' end));
end $$;

-- Money is kept in cents and shown in dollars.
create view api.affiliate_codes with (security_invoker = true) as
  select user_id, code, total_referrals, round(total_earnings_cents / 100.0, 2) as total_earnings
    from app.affiliate_codes;

create view api.commissions with (security_invoker = true) as
  select id, affiliate_user_id, round(amount_cents / 100.0, 2) as amount, tier, status, created_at from app.commissions;

comment on column api.affiliate_codes.total_earnings is '@notNull';
comment on column api.commissions.amount is '@notNull';

-- True when the referral was recorded; false when a rule refused it. Only for oneself.
create function api.track_referral(_referred_user_id uuid, _referrer_code text) returns boolean
language plpgsql volatile security definer set search_path = '' as $$
begin
  perform app.require_self(_referred_user_id);
  return app.record_referral(_referred_user_id, left(_referrer_code, 64));
end $$;

comment on view api.affiliate_codes is 'Your affiliate code, and what it has earned.';
comment on view api.commissions is 'Your commissions.';
comment on function api.track_referral(uuid, text) is 'Notes who referred a new account.';

grant execute on function
  api.admin_decide_held(uuid, boolean), api.admin_held_commissions(), api.admin_make_payout(uuid, text, bigint),
  api.admin_payouts(integer, timestamptz, uuid), api.admin_payouts_due(), api.track_referral(uuid, text)
  to authenticated, service_role;
grant execute on function api.affiliate_summary(), api.commission_lines(timestamptz, uuid, integer) to authenticated;
grant execute on function app.delete_claims(uuid) to hoplet_auth;
grant execute on function app.settle_invoice(text, text), app.void_play_money() to hoplet_billing;

grant select, insert, update, delete on api.affiliate_codes to authenticated, service_role;

grant select on api.commissions to authenticated, service_role;

comment on function api.affiliate_summary() is 'Totals of the affiliate program for you.';
comment on function api.commission_lines(timestamptz, uuid, integer) is
  'Your commissions with their state, the newest first.';
