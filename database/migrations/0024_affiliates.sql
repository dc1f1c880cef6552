-- What an affiliate sees of the ledger, and how admins pay it out. Cents throughout.

create index commissions_held on app.commissions (created_at) where status = 'held';
create index payouts_affiliate on app.payouts (affiliate_user_id);

-- The caller's referrals in their order: 'sign-up #3'. The number and the month are all that an affiliate learns of them.
create function app.numbered_sign_ups(affiliate uuid)
returns table (user_id uuid, number bigint, month text)
language sql stable security definer set search_path = '' as $$
  select r.referred_user_id, row_number() over (order by r.created_at, r.referred_user_id),
    to_char(r.created_at at time zone 'utc', 'YYYY-MM')
  from app.referrals r where r.referrer_user_id = affiliate
$$;

-- What the caller has earned, is owed and was paid, and twelve months of it. What a reversal took and was given back
-- counts in the month of the reversal, so that no month takes back less than nothing.
create function api.affiliate_summary() returns jsonb
language sql stable security definer set search_path = '' as $$
  with mine as materialized (
    select c.amount_cents, c.status, c.kind, c.due_at, c.due_at <= app.billing_now() as is_due,
      date_trunc('month', coalesce((
        select max(t.created_at) from app.commissions t
        where t.provider = c.provider and t.invoice_id = c.invoice_id and t.affiliate_user_id = c.affiliate_user_id
          and t.tier = c.tier and t.created_at <= c.created_at
          and t.kind = case c.kind when 'refund_undone' then 'refund' when 'dispute_won' then 'dispute' end
      ), c.created_at) at time zone 'utc') as month
    from app.commissions c where c.affiliate_user_id = (select app.current_user_id())
  ),
  -- What falls due on one day (UTC), less its reversals; where nothing is left of it, nothing is coming.
  coming as (
    select min(m.due_at) as due_at, sum(m.amount_cents) as cents from mine m
    where m.status = 'pending' and not m.is_due group by date_trunc('day', m.due_at at time zone 'utc')
    having sum(m.amount_cents) > 0 order by 1 limit 1
  ),
  months as (
    select first_day as month,
      (select coalesce(sum(m.amount_cents) filter (where m.kind = 'earned'), 0) as earned
        from mine m where m.month = first_day and m.status in ('pending', 'paid')),
      (select coalesce(-sum(m.amount_cents) filter (where m.kind <> 'earned'), 0) as reversed
        from mine m where m.month = first_day and m.status in ('pending', 'paid')),
      (select count(*) as sign_ups from app.referrals r where r.referrer_user_id = (select app.current_user_id())
        and date_trunc('month', r.created_at at time zone 'utc') = first_day)
    from generate_series(date_trunc('month', app.billing_now() at time zone 'utc') - interval '11 months',
      date_trunc('month', app.billing_now() at time zone 'utc'), interval '1 month') as first_day
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

-- The caller's lines, newest first, from a (created_at, id) cursor on, each with the reason why it exists. A line of the
-- second tier names the caller's own sign-up, who brought the one that paid. An invoice's reference is good for telling
-- two invoices apart, and for nothing else.
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
    'is_due', p.due_at <= app.billing_now(),
    'sign_up_number', s.number, 'sign_up_month', s.month,
    'invoice_ref', upper(left(encode(sha256(convert_to(p.affiliate_user_id || ':' || p.provider || ':' || p.invoice_id, 'utf8')), 'hex'), 8)))
    order by p.created_at desc, p.id desc), '[]')
  from page p
  left join app.referrals brought on p.tier = 2 and brought.referred_user_id = p.payer_id
  left join app.numbered_sign_ups((select app.current_user_id())) s
    on s.user_id = case p.tier when 1 then p.payer_id else brought.referrer_user_id end
$$;

-- Whom to pay, and how much. An affiliate whose reversals outweigh what is due is not in it; nor is one who is banned.
create function api.admin_payouts_due() returns jsonb
language plpgsql stable security definer set search_path = '' as $$
begin
  perform app.require_admin();
  return (
    with sums as (
      select c.affiliate_user_id,
        coalesce(sum(c.amount_cents) filter (where c.status = 'pending' and c.due_at <= app.billing_now()), 0) as due_cents,
        coalesce(sum(c.amount_cents) filter (where c.status = 'pending' and c.due_at > app.billing_now()), 0) as pending_cents,
        coalesce(sum(c.amount_cents) filter (where c.status = 'held'), 0) as held_cents,
        count(*) filter (where c.status = 'pending' and c.due_at <= app.billing_now()) as lines
      from app.commissions c where c.status in ('pending', 'held') group by 1
    )
    select coalesce(jsonb_agg(jsonb_build_object('affiliate_user_id', s.affiliate_user_id, 'email', p.email, 'code', a.code,
      'due_cents', s.due_cents, 'held_cents', s.held_cents, 'pending_cents', s.pending_cents, 'lines', s.lines)
      order by s.due_cents desc, s.affiliate_user_id), '[]')
    from sums s left join app.profiles p on p.id = s.affiliate_user_id
      left join app.affiliate_codes a on a.user_id = s.affiliate_user_id
    where s.due_cents > 0 and app.may_earn(s.affiliate_user_id));
end $$;

-- Books that an admin has paid everything due to this affiliate: {id, amount_cents}, or null when nothing is due.
create function api.admin_make_payout(_affiliate uuid, _reference text default null) returns jsonb
language plpgsql volatile security definer set search_path = '' as $$
declare
  made uuid;
  paid app.payouts;
begin
  perform app.require_admin();
  made := app.make_payout(_affiliate, app.current_user_id(), nullif(left(btrim(_reference), 200), ''));
  if made is null then return null; end if;
  select * into paid from app.payouts p where p.id = made;
  perform app.audit('payout.make', 'affiliate', _affiliate::text, null,
    jsonb_build_object('payout_id', paid.id, 'amount_cents', paid.amount_cents, 'reference', paid.reference));
  return jsonb_build_object('id', paid.id, 'amount_cents', paid.amount_cents);
end $$;

-- The newest payouts. The address is null when the account is gone.
create function api.admin_payouts(_limit integer default 100) returns jsonb
language plpgsql stable security definer set search_path = '' as $$
begin
  perform app.require_admin();
  return (
    select coalesce(jsonb_agg(jsonb_build_object('id', o.id, 'affiliate_user_id', o.affiliate_user_id, 'email', p.email,
      'amount_cents', o.amount_cents, 'reference', o.reference, 'made_by', o.made_by, 'made_by_email', m.email,
      'created_at', o.created_at) order by o.created_at desc, o.id desc), '[]')
    from (select * from app.payouts q order by q.created_at desc, q.id desc
        limit least(greatest(coalesce(_limit, 100), 1), 10000)) o
      left join app.profiles p on p.id = o.affiliate_user_id left join app.profiles m on m.id = o.made_by);
end $$;

-- Earnings that wait for an admin, because payer and beneficiary look like one person. An invoice's reversals are in the sum.
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
    from app.commissions c left join app.profiles b on b.id = c.affiliate_user_id left join app.profiles y on y.id = c.payer_id
    where c.status = 'held' and c.kind = 'earned');
end $$;

-- Releases what is held of an invoice for one beneficiary, or cancels it; its reversals go with it.
create function api.admin_decide_held(_id uuid, _release boolean) returns void
language plpgsql volatile security definer set search_path = '' as $$
declare
  line app.commissions;
  cents bigint;
begin
  perform app.require_admin();
  select * into line from app.commissions c where c.id = _id;
  -- As settle_invoice does: a refund under way is booked before or after, and never as held for good.
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
    jsonb_build_object('commission_id', _id, 'amount_cents', cents, 'status', case when _release then 'pending' else 'canceled' end));
end $$;

grant execute on function api.affiliate_summary(), api.commission_lines(timestamptz, uuid, integer) to authenticated;
grant execute on function api.admin_payouts_due(), api.admin_make_payout(uuid, text), api.admin_payouts(integer),
  api.admin_held_commissions(), api.admin_decide_held(uuid, boolean) to authenticated, service_role;
