-- `health` is null where no destination of the caller was checked: there is nothing to choose.
create function api.click_mails() returns jsonb
language sql stable security definer set search_path = '' as $$
  select jsonb_build_object('milestones', coalesce(bool_or(m.milestones), false),
    'weekly', coalesce(bool_or(m.weekly), false),
    'health', case when exists (select from app.destination_checks c where c.user_id = app.current_user_id())
      then coalesce(bool_or(m.health), false) end)
  from app.click_mails m where m.user_id = app.current_user_id()
$$;

-- One that is left out stays.
create function api.set_click_mails(_milestones boolean default null, _weekly boolean default null,
  _health boolean default null) returns void
language sql volatile security definer set search_path = '' as $$
  insert into app.click_mails as m (user_id, milestones, weekly, health)
    values (app.current_user_id(), coalesce(_milestones, false), coalesce(_weekly, false), coalesce(_health, false))
    on conflict (user_id) do update set milestones = coalesce(_milestones, m.milestones),
      weekly = coalesce(_weekly, m.weekly), health = coalesce(_health, m.health)
$$;

-- Accounts that want emails of a kind and have a plan that shows clicks.
create function app.wants_click_mails(_kind text) returns table (user_id uuid, email text, account integer, zone text)
language sql stable security definer set search_path = '' as $$
  select m.user_id, b.email, s.id, coalesce(p.time_zone, 'UTC')
  from app.click_mails m join app.profiles p on p.id = m.user_id join app.click_scopes s on s.ref = m.user_id
    cross join lateral (select coalesce(p.email, app.space_mailbox(p.id)) as email) b
  where case _kind when 'milestones' then m.milestones else m.weekly end and b.email is not null
    and (select l.can_view_clicks from app.plan_limits(app.plan_of(m.user_id)) l)
$$;

-- Links that passed a milestone with the clicks of the last two hours, which are [{"account", "scope", "clicks"}]; of
-- several the highest. The outbox has the emails so far: after one about a milestone the lower ones are no news.
create function app.due_milestones(_recent jsonb) returns table (link uuid, email text, code text, milestone integer)
language sql stable security definer set search_path = '' as $$
  with milestones as (select n from unnest('{1,100,1000,10000}'::integer[]) n)
  select l.id, w.email, l.short_code, max(m.n)
  from app.wants_click_mails('milestones') w
    join jsonb_to_recordset(_recent) as c (account integer, scope integer, clicks bigint) on c.account = w.account
    join app.click_scopes s on s.id = c.scope and s.kind = 'link' join app.shortened_urls l on l.id = s.ref
    join milestones m on l.click_count >= m.n and l.click_count - c.clicks < m.n
  where not exists (select from milestones h join app.mail_outbox o on o.key = format('milestone:%s:%s', l.id, h.n)
    where h.n >= m.n)
  group by 1, 2, 3
$$;

-- Accounts for which it is past Monday, eight o'clock, with hits in the last two weeks: 200 at a time,
-- in the order of their ids. `starts` are the two Mondays before and this one, in microseconds since 1970.
create function app.due_weekly_summaries(_after uuid) returns table (user_id uuid, email text, account integer,
  zone text, monday date, starts bigint[])
language sql stable security definer set search_path = '' as $$
  with weeks as (
    select w.*, date_trunc('week', now() at time zone w.zone)::date as monday from app.wants_click_mails('weekly') w
    where now() at time zone w.zone >= date_trunc('week', now() at time zone w.zone) + interval '8 hours')
  select w.user_id, w.email, w.account, w.zone, w.monday, array(
    select app.micros(app.local_start(w.monday - 7 * n, w.zone)) from generate_series(2, 0, -1) n)
  from weeks w
  where w.user_id > _after
    and not exists (select from app.mail_outbox o where o.key = format('weekly:%s:%s', w.user_id, w.monday))
    and exists (select from app.click_account_days d where d.account = w.account
      and d.day between w.monday - 15 and w.monday)
  order by w.user_id limit 200
$$;

grant execute on function api.click_mails(), api.set_click_mails(boolean, boolean, boolean) to authenticated;
grant execute on function
  app.due_milestones(jsonb), app.due_weekly_summaries(uuid), app.wants_click_mails(text)
  to hoplet_worker;

comment on function api.click_mails() is 'Which emails about clicks and destinations you get.';
comment on function api.set_click_mails(boolean, boolean, boolean) is 'Chooses which emails about clicks and destinations you get.';
