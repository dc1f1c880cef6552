-- Events of popups, given as columns with one value a line: time in epoch milliseconds, visitor, popup, surface,
-- account, action, verdict.
create function app.popup_events_in(_columns text[]) returns setof app.popup_events
language sql immutable parallel safe
begin atomic
  select to_timestamp(t::float8 / 1000), v::bigint, p::integer, s::integer, a::integer, action::"char", verdict::"char"
  from unnest(string_to_array(_columns[1], e'\n'), string_to_array(_columns[2], e'\n'),
    string_to_array(_columns[3], e'\n'), string_to_array(_columns[4], e'\n'), string_to_array(_columns[5], e'\n'),
    string_to_array(_columns[6], e'\n'), string_to_array(_columns[7], e'\n')) h (t, v, p, s, a, action, verdict);
end;

-- Stores a batch of them, and queues it for webhooks.
create function app.apply_popup_events(_columns text[]) returns void
language plpgsql volatile security definer set search_path = '' as $$
declare
  store constant app.click_store := app.held_click_store();
  events constant app.popup_events[] := array(select e from app.popup_events_in(_columns) e);
begin
  if store.state <> 'postgres' then
    insert into app.click_outbox (kind, columns, hits, first_at)
      select 'p', _columns, count(*), min(e.at) from unnest(events) e;
  end if;
  if store.state <> 'clickhouse' then
    perform app.delete_rollups(l.account, l.times) from (
      select e.account, array_agg(e.at) as times from unnest(events) e
      where e.at < now() - interval '1 hour' group by 1 order by 1) l;
    insert into app.late_popup_events select * from unnest(events) e where e.at < store.cut_at;
    insert into app.popup_events select * from unnest(events);
  end if;
  perform app.queue_popup_emails(events);
end $$;

-- Popups go with their account, and then, in batches, their events: app.click_erasures has their numbers as well.
create trigger erase_popup_events after delete on app.click_scopes for each row when (old.kind = 'popup')
  execute function app.erase_clicks();

create function app.popup_action(_letter "char") returns text
language sql immutable parallel safe set search_path = '' as $$
  select case _letter when 's' then 'shown' when 'b' then 'closed-button' when 'k' then 'closed-backdrop' when 'e'
    then 'closed-escape'
    when 'n' then 'closed-later' when 'c' then 'clicked' when 'm' then 'emailed' when 'r' then 'reached' when 'l'
      then 'left' end
$$;

-- Puts a day of an account's popups that had 500 events or more into the rollups: dimension 'action' has values like
-- 's 12', shown on surface 12, and 's' for the visitors, each counted once a day for an action.
create function app.roll_up_popups(_account integer, _day date) returns void
language plpgsql volatile security definer set search_path = '' set work_mem = '64MB' as $$
declare
  zone text := app.click_zone(_account);
  first timestamptz := app.local_start(_day, zone);
  next timestamptz := app.local_start(_day + 1, zone);
begin
  with events as materialized (
      select e.popup, e.surface, e.action, e.verdict, e.visitor, count(*) over (partition by e.popup) as of_popup
      from app.click_scopes a join app.click_scopes p on p.user_id = a.user_id and p.kind = 'popup'
        join app.popup_events e on e.popup = p.id and e.at >= first and e.at < next
          and app.hour_of(e.at) between app.hour_of(first) and app.hour_of(next)
      where a.id = _account),
    busy as materialized (select * from events e where e.of_popup >= 500),
    by_people as (select * from busy b where b.verdict in ('c', 'r', 'o'))
  insert into app.click_rollups (scope, grain, dimension, day, value, counted, repeats, own, bots, visitors)
    select p.popup, 'd'::"char", 'action', _day, concat_ws(' ', p.action, p.surface), count(*) filter (where p.verdict = 'c'),
      count(*) filter (where p.verdict = 'r'), count(*) filter (where p.verdict = 'o'), 0, 0
    from by_people p group by p.popup, p.action, p.surface
    union all
    select p.popup, 'd'::"char", 'action', _day, p.action::text, 0, 0, 0, 0, count(distinct p.visitor)
    from by_people p where p.visitor <> 0 and p.verdict <> 'o' group by p.popup, p.action
    union all
    select distinct b.popup, 'd'::"char", 'total', _day, '', 0, 0, 0, 0, 0 from busy b;
end $$;

-- Results of a popup between two moments, by people: how often each action happened and to how many visitors, by
-- day, and for the 100 links and pages that showed it most (without actions that never happened there). "served" is how
-- often the links and pages among these were visited: no one can tell since when the popup was on them, nor the actions
-- where no script ran; null when there are more of them.
create function api.popup_report(_id uuid, _from timestamptz, _to timestamptz, _include text[]
  default '{repeats,own}') returns jsonb
language plpgsql stable security definer set search_path = '' as $$
declare
  asked record;
begin
  select * into asked from app.asked_scope('popup', _id);
  perform app.check_range(_from, _to, '400 days');
  if _from >= _to then raise exception 'The range is empty or too long' using errcode = '22023'; end if;
  if _include is null or not _include <@ '{repeats,own}' then
    raise exception 'Unknown switch' using errcode = '22023';
  end if;
  return jsonb_build_object('popup', asked.scope, 'account', asked.account, 'zone', asked.zone,
    'from', app.micros(_from), 'to', app.micros(_to), 'from_text', _from, 'to_text', _to, 'include', _include,
    'buckets', app.click_buckets('day', asked.zone, _from, _to));
end $$;

create policy visits_read on app.popup_events for select to hoplet_visits using (true);

grant execute on function api.popup_report(uuid, timestamptz, timestamptz, text[]) to authenticated, service_role;
grant execute on function app.apply_popup_events(text[]) to hoplet_visits;

comment on function api.popup_report(uuid, timestamptz, timestamptz, text[]) is
  'How often a popup was shown, clicked, closed or left, by day, link and page.';
