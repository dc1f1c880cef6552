create function api.click_mails() returns jsonb
language sql stable security definer set search_path = '' as $$
  select jsonb_build_object('milestones', coalesce(bool_or(m.milestones), false),
    'weekly', coalesce(bool_or(m.weekly), false))
  from app.click_mails m where m.user_id = app.current_user_id()
$$;

create function api.set_click_mails(_milestones boolean, _weekly boolean) returns void
language sql volatile security definer set search_path = '' as $$
  insert into app.click_mails (user_id, milestones, weekly) values (app.current_user_id(), _milestones, _weekly)
    on conflict (user_id) do update set milestones = excluded.milestones, weekly = excluded.weekly
$$;

-- Who wants emails of a kind and has a plan that shows clicks.
create function app.wants_click_mails(_kind text) returns table (user_id uuid, email text, account integer, zone text)
language sql stable security definer set search_path = '' as $$
  select m.user_id, p.email, s.id, coalesce(p.time_zone, 'UTC')
  from app.click_mails m join app.profiles p on p.id = m.user_id join app.click_scopes s on s.ref = m.user_id
  where case _kind when 'milestones' then m.milestones else m.weekly end and p.email is not null
    and (select l.can_view_clicks from app.plan_limits(app.plan_of(m.user_id)) l)
$$;

-- Links that passed a milestone with the clicks of the last two hours; of several the highest. The outbox knows what
-- was told.
create function app.due_milestones() returns table (link uuid, email text, code text, milestone integer)
language sql stable security definer set search_path = '' as $$
  select l.id, w.email, l.short_code, max(m.n)
  from app.wants_click_mails('milestones') w join app.recent_clicks() c on c.account = w.account
    join app.click_scopes s on s.id = c.scope and s.kind = 'link' join app.shortened_urls l on l.id = s.ref
    join unnest('{1,100,1000,10000}'::integer[]) m (n) on l.click_count >= m.n and l.click_count - c.clicks < m.n
  where not exists (select from app.mail_outbox o where o.key = format('milestone:%s:%s', l.id, m.n))
  group by 1, 2, 3
$$;

-- Accounts whose Monday, eight o'clock, has come and who had clicks in the week before it or the one before that.
create function app.due_weekly_summaries()
returns table (user_id uuid, email text, monday date, clicks bigint, before bigint, visitors bigint, busiest jsonb)
language sql stable security definer set search_path = '' as $$
  with weeks as (
    select w.*, date_trunc('week', now() at time zone w.zone)::date as monday from app.wants_click_mails('weekly') w
    where now() at time zone w.zone >= date_trunc('week', now() at time zone w.zone) + interval '8 hours'),
    due as (
      select * from weeks w where not exists (select from app.mail_outbox o
        where o.key = format('weekly:%s:%s', w.user_id, w.monday)) limit 200)
  select d.user_id, d.email, d.monday, c.clicks, b.clicks, v.visitors, coalesce(t.links, '[]')
  from due d
    cross join lateral (select coalesce(sum(r.counted + r.repeats + r.own), 0)::bigint as clicks
      from app.report_rows(d.account, d.account, 'verdict',
        app.local_start(d.monday - 7, d.zone), app.local_start(d.monday, d.zone), '{}', null) r) c
    cross join lateral (select coalesce(sum(r.counted + r.repeats + r.own), 0)::bigint as clicks
      from app.report_rows(d.account, d.account, 'verdict',
        app.local_start(d.monday - 14, d.zone), app.local_start(d.monday - 7, d.zone), '{}', null) r) b
    cross join lateral (select coalesce(sum(r.visitors), 0)::bigint as visitors
      from app.report_rows(d.account, d.account, 'visitors',
        app.local_start(d.monday - 7, d.zone), app.local_start(d.monday, d.zone), '{}', null) r) v
    cross join lateral (
      select jsonb_agg(jsonb_build_object('code', x.code, 'clicks', x.clicks) order by x.clicks desc, x.code) as links
      from (select l.short_code as code, sum(r.counted + r.repeats + r.own)::bigint as clicks
      from app.report_rows(d.account, d.account, 'target', app.local_start(d.monday - 7, d.zone),
        app.local_start(d.monday, d.zone), '{}', null) r
        join app.click_scopes s on s.id::text = r.value and s.kind = 'link' join app.shortened_urls l on l.id = s.ref
      group by 1 having sum(r.counted + r.repeats + r.own) > 0 order by 2 desc, 1 limit 5) x) t
  where c.clicks + b.clicks > 0
$$;

grant execute on function api.click_mails(), api.set_click_mails(boolean, boolean) to authenticated;
grant execute on function app.due_milestones(), app.due_weekly_summaries() to hoplet_worker;

comment on function api.click_mails() is 'Which emails about clicks you get.';
comment on function api.set_click_mails(boolean, boolean) is 'Chooses which emails about clicks you get.';
