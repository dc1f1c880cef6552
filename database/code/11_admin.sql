create function app.refuse_change_of_log() returns trigger
language plpgsql set search_path = '' as $$
begin
  if tg_op = 'DELETE' and old.at < now() - interval '2 years' then return old; end if;
  raise insufficient_privilege using message = 'The audit log is append-only.';
end $$;
create trigger append_only before update or delete on app.audit_log
  for each row execute function app.refuse_change_of_log();
create trigger append_only_truncate before truncate on app.audit_log
  for each statement execute function app.refuse_change_of_log();

-- Deletes up to `max_rows` lines that are older than two years.
create function app.delete_old_audit(max_rows integer) returns bigint
language sql volatile security definer set search_path = '' as $$
  with old as materialized (select a.id from app.audit_log a order by a.id limit max_rows),
    gone as (delete from app.audit_log a using old where a.id = old.id and a.at < now() - interval '2 years'
      returning 1)
  select count(*) from gone
$$;

-- Writes one line, in the transaction of the act. Only rules and admin functions call it.
create function app.audit(action text, target_kind text, target_id text, before jsonb, after jsonb) returns void
language sql volatile security definer set search_path = '' as $$
  insert into app.audit_log (actor_id, actor_role, action, target_kind, target_id, before, after, request_id)
  values (app.person_id(), coalesce(app.claims() ->> 'role', 'system'), audit.action, audit.target_kind,
    left(audit.target_id, 2100), audit.before, audit.after, nullif(current_setting('hoplet.request_id', true), ''))
$$;

-- For the audit log. Sign-ups and payments are not acts of admins; a function that writes its own line says so in
-- hoplet.audited.
create function app.is_admin_act() returns boolean
language sql stable set search_path = '' as $$
  select coalesce(app.claims() ->> 'role', '') not in ('hoplet_auth', 'hoplet_billing')
    and coalesce(current_setting('hoplet.audited', true), '') <> 'yes'
$$;

create function app.account_facts(account uuid) returns jsonb
language sql stable security definer set search_path = '' as $$
  select jsonb_build_object('email', p.email, 'display_name', p.display_name, 'role', coalesce(r.role, 'user'),
    'plan_type', app.plan_of(p.id))
  from app.profiles p left join app.user_roles r on r.user_id = p.id
  where p.id = account
$$;

create function app.audit_profile() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  if tg_op = 'DELETE' then
    perform app.require_recent_sign_in();
    if app.is_admin_act() then
      perform app.audit('user.delete', 'user', old.id::text, app.account_facts(old.id), null);
    end if;
    return old;
  end if;
  -- Changing one's own name or time zone is not an act of an admin.
  if (new.email, new.display_name) is distinct from (old.email, old.display_name) and app.is_admin_act()
    and not (app.claims() ->> 'role' = 'authenticated' and new.id = app.current_user_id()) then
    perform app.audit('user.update', 'user', old.id::text,
      jsonb_build_object('email', old.email, 'display_name', old.display_name),
      jsonb_build_object('email', new.email, 'display_name', new.display_name));
  end if;
  return new;
end $$;
create trigger audit before update or delete on app.profiles
  for each row execute function app.audit_profile();

create function app.audit_plan() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  -- Deeper down it is an account that comes or goes, which has its own line.
  if app.is_admin_act() and new is distinct from old
    and (pg_trigger_depth() = 1 or coalesce(current_setting('hoplet.writes_plan', true), '') = 'yes') then
    perform app.audit('plan.change', 'user', coalesce(new.user_id, old.user_id)::text,
      jsonb_build_object('plan_type', old.plan_type), jsonb_build_object('plan_type', new.plan_type));
  end if;
  return null;
end $$;
create trigger audit after insert or update or delete on app.user_plans
  for each row execute function app.audit_plan();

create policy worker_read on app.abuse_reports for select to hoplet_worker using (true);
create policy worker_insert on app.abuse_reports for insert to hoplet_worker with check (state = 'open');
create policy worker_forget on app.abuse_reports for delete to hoplet_worker
  using (created_at < now() - interval '1 year');

-- The link or page that has a name right now: always one row, so that any name can be reported.
create function app.reported_target(reported text)
  returns table (kind text, id uuid, owner_id uuid, destination text)
language sql stable security definer set search_path = '' as $$
  select case when s.id is not null then 'link' when b.id is not null then 'bio' else 'unknown' end,
    coalesce(s.id, b.id), coalesce(s.user_id, b.user_id), s.original_url
  from (select 1) as always
    left join app.shortened_urls s on s.short_code = app.link_code(reported)
    left join app.bio_pages b on b.slug = reported
$$;

create function app.like_pattern(words text) returns text
language sql immutable set search_path = '' as $$
  select '%' || regexp_replace(left(btrim(words), 200), '([\\%_])', '\\\1', 'g') || '%'
$$;

-- {total, matching, more, rows: [{id, email, display_name, role, plan_type, created_at}]}. A search counts to 10,000
-- matches; `more` says that there are more of them. The page's ids come in the order of one index, all else is read for
-- those rows only: the last page costs little more than the first. A custom plan folds each `case` and the absent
-- search away. Behind row security the planner cannot know how many rows hold the text, so we look at some: a common
-- text fills a page soon in the order of an index, and the trigram index is of use for a rare one only.
create function api.admin_users(_search text default null, _sort text default 'created_at',
  _descending boolean default true, _limit integer default 50, _offset integer default 0) returns jsonb
language plpgsql stable security definer set search_path = '' set plan_cache_mode = 'force_custom_plan'
set enable_bitmapscan = on set enable_sort = on as $$
declare
  max_counted constant integer := 10000;
  sort text := coalesce(_sort, 'created_at');
  down boolean := coalesce(_descending, true);
  max_rows integer := least(greatest(coalesce(_limit, 50), 1), 1000);
  skipped integer := greatest(coalesce(_offset, 0), 0);
  pattern text := case when btrim(_search) <> '' then app.like_pattern(_search) end;
  total bigint;
  matching bigint;
  page uuid[];
begin
  perform app.require_admin();
  select count(*) into total from app.profiles;
  matching := total;
  if pattern is not null then
    if (select count(*) from (select p.email, p.display_name from app.profiles p limit 1000) few
        where (coalesce(few.email, '') || E'\n' || coalesce(few.display_name, '')) ilike pattern) > 200 then
      -- Until the function returns: its own settings of these two come back then.
      perform set_config('enable_bitmapscan', 'off', true), set_config('enable_sort', 'off', true);
    end if;
    select count(*) into matching from (select from app.profiles p
      where (coalesce(p.email, '') || E'\n' || coalesce(p.display_name, '')) ilike pattern
        limit max_counted + 1) as found;
  end if;
  if sort in ('email', 'display_name', 'created_at') then
    page := array(select p.id from app.profiles p
      where pattern is null or (coalesce(p.email, '') || E'\n' || coalesce(p.display_name, '')) ilike pattern
      order by case when down and sort = 'created_at' then p.created_at end desc,
        case when down and sort = 'email' then p.email when down and sort = 'display_name'
          then lower(coalesce(p.display_name, '')) end desc,
        case when down then p.id end desc,
        case when sort = 'created_at' then p.created_at end,
        case sort when 'email' then p.email when 'display_name' then lower(coalesce(p.display_name, '')) end,
        p.id
      limit max_rows offset skipped);
  elsif sort = 'role' then
    page := array(select r.user_id from app.user_roles r
      where pattern is null or exists (select from app.profiles p where p.id = r.user_id
        and (coalesce(p.email, '') || E'\n' || coalesce(p.display_name, '')) ilike pattern)
      order by case when down then r.role end desc, case when down then r.user_id end desc, r.role, r.user_id
      limit max_rows offset skipped);
  elsif sort = 'plan_type' then
    page := array(select l.user_id from app.user_plans l
      where pattern is null or exists (select from app.profiles p where p.id = l.user_id
        and (coalesce(p.email, '') || E'\n' || coalesce(p.display_name, '')) ilike pattern)
      order by case when down then l.plan_type end desc, case when down then l.user_id end desc, l.plan_type, l.user_id
      limit max_rows offset skipped);
  else
    raise invalid_parameter_value using message = 'unknown _sort';
  end if;
  return jsonb_build_object('total', total, 'matching',
    least(matching, case when pattern is null then total else max_counted end),
    'more', pattern is not null and matching > max_counted,
    'rows', (select coalesce(jsonb_agg(jsonb_build_object('id', p.id, 'email', p.email, 'display_name', p.display_name,
        'role', coalesce(r.role, 'user'), 'plan_type', app.plan_of(p.id), 'created_at', p.created_at,
        'owners', case when exists (select from app.spaces s where s.id = p.id) then app.space_owners(p.id) end)
          order by q.place), '[]')
      from unnest(page) with ordinality as q (id, place) join app.profiles p on p.id = q.id
        left join app.user_roles r on r.user_id = p.id));
end $$;

-- Name, role and plan at once, or nothing; one line in the log. Null leaves a value as it is; an empty name is none.
create function api.admin_update_user(_user_id uuid, _display_name text default null, _role text default null,
  _plan_type text default null) returns void
language plpgsql volatile security definer set search_path = '' as $$
declare
  facts jsonb;
begin
  perform app.require_admin();
  perform 1 from app.profiles p where p.id = _user_id for update;
  facts := app.account_facts(_user_id);
  if facts is null then raise exception using errcode = 'P0001', message = 'This user does not exist.'; end if;
  perform set_config('hoplet.audited', 'yes', true);
  update app.profiles p set display_name = _display_name
    where p.id = _user_id and _display_name is not null;
  insert into app.user_plans as l (user_id, plan_type) select _user_id, _plan_type where _plan_type is not null
    on conflict (user_id) do update set plan_type = excluded.plan_type where l.plan_type <> excluded.plan_type;
  insert into app.user_roles as r (user_id, role) select _user_id, _role where _role is not null
    on conflict (user_id) do update set role = excluded.role where r.role <> excluded.role;
  perform set_config('hoplet.audited', '', true);
  if app.account_facts(_user_id) <> facts then
    perform app.audit('user.update', 'user', _user_id::text, facts, app.account_facts(_user_id));
  end if;
end $$;

create function api.admin_delete_user(_user_id uuid) returns void
language plpgsql volatile security definer set search_path = '' as $$
begin
  perform app.require_admin();
  delete from app.profiles p where p.id = _user_id;
  if not found then raise exception using errcode = 'P0001', message = 'This user does not exist.'; end if;
end $$;

-- The account with this id or email address.
create function app.account_named(value text) returns uuid
language sql stable security definer set search_path = '' as $$
  select p.id from app.profiles p where p.email = lower(btrim(value))
  union all
  select p.id from app.profiles p
    where p.id = case when value ~* '^\s*[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\s*$' then btrim(value)::uuid end
  limit 1
$$;

-- The host in the input of an admin: a name, or an address with or without http(s)://. Null when there is none.
create function app.host_named(value text) returns text
language sql immutable set search_path = '' as $$
  select case when host ~ '^([a-z0-9_]([a-z0-9_-]*[a-z0-9_])?\.)+[a-z0-9-]+$' or host ~ '^\[[0-9a-f:.]+\]$'
    then host end
  from (select regexp_replace(app.destination_host(case when btrim(value) ~* '^https?://' then btrim(value)
    else 'http://' || btrim(value) end), '^www\.(?=.+\..+)', '') as host) as named
$$;

-- Links by code, host (with all below it) or owner (id or email address), newest first from a cursor on.
create function api.admin_find_links(_by text, _value text, _before_created_at timestamptz default null,
  _before_id uuid default null, _limit integer default 50) returns jsonb
language plpgsql stable security definer set search_path = '' set plan_cache_mode = 'force_custom_plan' as $$
declare
  max_rows integer := least(greatest(coalesce(_limit, 50), 1), 200);
  from_at timestamptz := coalesce(_before_created_at, 'infinity');
  from_id uuid := coalesce(_before_id, 'ffffffff-ffff-ffff-ffff-ffffffffffff');
  host_from text := reverse(app.host_named(_value)) || '.';
  owner uuid := app.account_named(_value);
begin
  perform app.require_admin();
  if _by is null or _by not in ('code', 'host', 'user') then
    raise invalid_parameter_value using message = 'unknown _by';
  end if;
  return (
    select coalesce(jsonb_agg(jsonb_build_object('id', l.id, 'short_code', app.shown_name(l.short_code), 'original_url', l.original_url,
        'title', l.title, 'user_id', l.user_id, 'email', p.email, 'created_at', l.created_at, 'click_count', l.click_count,
        'blocked', app.block_of(l.short_code, l.user_id, l.original_url)) order by l.created_at desc, l.id desc), '[]')
    from (
      select s.* from app.shortened_urls s
      where case _by when 'code' then s.short_code = app.link_code(app.key_of(_value)) else true end
        and case _by when 'user' then s.user_id = owner else true end
        and case _by when 'host' then app.host_key(s.original_url) collate "C" >= host_from
          and app.host_key(s.original_url) collate "C" < left(host_from, -1) || '/' else true end
        and (s.created_at, s.id) < (from_at, from_id)
      order by s.created_at desc, s.id desc limit max_rows) l
    left join app.profiles p on p.id = l.user_id);
end $$;

-- Visit caches hear of a block: the names of one link or page with the popups in its look, or everything ('*').
create function app.notify_block(kind text, value text) returns void
language sql volatile security definer set search_path = '' as $$
  select pg_notify('hoplet_names', case notify_block.kind when 'link' then notify_block.value else '*' end);
  select pg_notify('hoplet_names', n.name) from app.names n
    where notify_block.kind = 'link' and n.alias_of = notify_block.value;
  select app.notify_popups_of(b.user_id) from app.bio_pages b
    where notify_block.kind = 'link' and b.slug = notify_block.value;
$$;

-- Puts a block in place, or finds it there (false). Visit caches hear of it: a name alone, or everything ('*').
create function app.add_block(kind text, value text, reason text, hides_published boolean default true)
returns boolean
language plpgsql volatile security definer set search_path = '' as $$
begin
  insert into app.blocks as b (kind, value, reason, created_by, hides_published)
    values (add_block.kind, add_block.value, nullif(btrim(add_block.reason), ''), app.current_user_id(),
      add_block.hides_published)
    on conflict on constraint blocks_pkey do update set hides_published = excluded.hides_published
      where b.hides_published <> excluded.hides_published;
  if not found then return false; end if;
  perform app.notify_block(add_block.kind, add_block.value);
  return true;
end $$;

-- A blocked person cannot sign in, is signed out now, and is charged no more: the job of server/billing/ cancels. Unless
-- _hide_published is false, the links, the page, the shared reports and the forms of the person are off too.
create function api.admin_block(_kind text, _value text, _reason text default null,
  _hide_published boolean default true) returns void
language plpgsql volatile security definer set search_path = '' as $$
declare
  wanted text;
  hides boolean := _kind is distinct from 'user' or coalesce(_hide_published, true);
  added boolean;
  stays boolean;
  banned timestamptz;
begin
  perform app.require_admin();
  if _kind = 'link' then
    wanted := (select coalesce(n.alias_of, n.name) from app.names n
      where n.name = app.key_of(_value) and n.kind in ('link', 'alias', 'bio'));
  elsif _kind = 'host' then
    wanted := app.host_named(_value);
    if wanted in (select o.host from app.own_hosts o) then
      raise exception using errcode = 'P0001', message = 'This is the host of this server.';
    end if;
  elsif _kind = 'user' then
    perform pg_advisory_xact_lock(hashtextextended('hoplet.user_roles', 0));
    wanted := app.account_named(_value);
    if exists (select from app.user_roles r where r.user_id = wanted::uuid and r.role = 'admin') then
      raise exception using errcode = 'P0001', message = 'An admin cannot be blocked. Change the role first.';
    end if;
  else
    raise invalid_parameter_value using message = 'unknown _kind';
  end if;
  if wanted is null then
    raise exception using errcode = 'P0001', message = case _kind when 'link' then 'No link or page has this name.'
      when 'host' then 'This is not a host name.' else 'This user does not exist.' end;
  end if;
  if _kind = 'user' then
    select u.banned_until into banned from auth.users u where u.id = wanted::uuid for update;
    stays := app.is_blocked_user(wanted::uuid) and banned > now();
  end if;
  added := app.add_block(_kind, wanted, _reason, hides);
  if _kind = 'user' then
    -- Where the ban of the block was lifted, it bans again.
    if stays is not true then
      added := true;
      update app.blocks b set banned_until = banned where b.kind = 'user' and b.value = wanted;
      update auth.users u set banned_until = now() + interval '1000 years' where u.id = wanted::uuid;
      delete from auth.sessions s where s.user_id = wanted::uuid;
      update app.billing_customers c set cancel_requested_at = now(), canceled_at = null where c.user_id = wanted::uuid;
    end if;
  end if;
  if added then
    perform app.audit('block', _kind, case _kind when 'link' then app.shown_name(wanted) else wanted end, null,
      jsonb_build_object('reason', nullif(btrim(_reason), ''))
      || case _kind when 'user' then jsonb_build_object('hides_published', hides) else '{}' end);
  end if;
end $$;

-- The end of a block: hidden publications are on again, and the person may sign in.
create function app.lift_block(lifted app.blocks) returns void
language plpgsql volatile security definer set search_path = '' as $$
begin
  if lifted.kind = 'user' then
    -- Another ban than that of the block stays.
    update auth.users u set banned_until = lifted.banned_until where u.id = lifted.value::uuid
      and u.banned_until > lifted.created_at + interval '999 years';
    update app.billing_customers c set cancel_requested_at = null, canceled_at = null
      where c.user_id = lifted.value::uuid;
  elsif lifted.kind = 'ban' then
    update app.blocks b set banned_until = null where b.kind = 'user' and b.value = lifted.value;
    if not found then update auth.users u set banned_until = null where u.id = lifted.value::uuid; end if;
  end if;
  perform app.notify_block(lifted.kind, lifted.value);
end $$;

create function api.admin_unblock(_kind text, _value text) returns void
language plpgsql volatile security definer set search_path = '' as $$
declare
  lifted app.blocks;
begin
  perform app.require_admin();
  if _kind is null or _kind not in ('link', 'host', 'user', 'ban') then
    raise invalid_parameter_value using message = 'unknown _kind';
  end if;
  delete from app.blocks b where b.kind = _kind
      and b.value in (lower(btrim(_value)), app.key_of(_value), app.host_named(_value), app.account_named(_value)::text)
    returning * into lifted;
  if not found then raise exception using errcode = 'P0001', message = 'There is no such block.'; end if;
  perform app.lift_block(lifted);
  perform app.audit('unblock', case lifted.kind when 'ban' then 'user' else lifted.kind end,
    case lifted.kind when 'link' then app.shown_name(lifted.value) else lifted.value end,
    jsonb_build_object('reason', lifted.reason, 'created_at', lifted.created_at), null);
end $$;

-- The newest thousand.
create function api.admin_blocks() returns jsonb
language plpgsql stable security definer set search_path = '' as $$
begin
  perform app.require_admin();
  return (
    select coalesce(jsonb_agg(jsonb_build_object('kind', b.kind,
      'value', case b.kind when 'link' then app.shown_name(b.value) else b.value end, 'reason', b.reason,
      'created_at', b.created_at, 'created_by', b.created_by, 'created_by_email', a.email, 'email', p.email,
      'hides_published', b.hides_published, 'ends_at', b.ends_at)
      order by b.created_at desc, b.kind, b.value), '[]')
    from (select * from app.blocks o where coalesce(o.ends_at > now(), true) order by o.created_at desc limit 1000) b
      left join app.profiles a on a.id = b.created_by
      left join app.profiles p on p.id = case when b.kind in ('user', 'ban') then b.value::uuid end);
end $$;

-- Reports of visitors, newest first from a cursor on; all states without `_state`.
create function api.admin_reports(_state text default 'open', _before_created_at timestamptz default null,
  _before_id uuid default null, _limit integer default 50) returns jsonb
language plpgsql stable security definer set search_path = '' as $$
begin
  perform app.require_admin();
  if _state not in ('open', 'upheld', 'dismissed') then
    raise invalid_parameter_value using message = 'unknown _state';
  end if;
  return (
    select coalesce(jsonb_agg(to_jsonb(r) || jsonb_build_object('name', app.shown_name(r.name), 'owner_email', p.email, 'decided_by_email', d.email,
        'blocked', app.block_of(r.name, r.owner_id, r.destination)) order by r.created_at desc, r.id desc), '[]')
    from (
      select a.* from app.abuse_reports a
      where (_state is null or a.state = _state)
        and (a.created_at, a.id) < (coalesce(_before_created_at, 'infinity'),
          coalesce(_before_id, 'ffffffff-ffff-ffff-ffff-ffffffffffff'))
      order by a.created_at desc, a.id desc limit least(greatest(coalesce(_limit, 50), 1), 200)) r
    left join app.profiles p on p.id = r.owner_id
    left join app.profiles d on d.id = r.decided_by);
end $$;

-- Upholding blocks the name, as long as the reported link or page still has it.
create function api.admin_decide_report(_id uuid, _uphold boolean) returns void
language plpgsql volatile security definer set search_path = '' as $$
declare
  report record;
  blocked boolean := false;
begin
  perform app.require_admin();
  if _uphold is null then raise invalid_parameter_value using message = '_uphold is missing'; end if;
  update app.abuse_reports a set state = case when _uphold then 'upheld' else 'dismissed' end, decided_at = now(),
    decided_by = app.current_user_id() where a.id = _id and a.state = 'open' returning a.* into report;
  if not found then
    raise exception using errcode = 'P0001', message = 'This report does not exist or was decided before.';
  end if;
  if _uphold and (exists (select from app.shortened_urls s where s.id = report.target_id
        and s.short_code = app.link_code(report.name))
      or exists (select from app.bio_pages b where b.id = report.target_id and b.slug = report.name)) then
    blocked := app.add_block('link', app.link_code(report.name), 'Reported: ' || report.reason);
  end if;
  perform app.audit(case when _uphold then 'report.uphold' else 'report.dismiss' end, 'report', _id::text,
    jsonb_build_object('state', 'open', 'name', report.name, 'reason', report.reason),
    jsonb_build_object('state', report.state, 'blocked', blocked));
end $$;

-- The log, newest first.
create function api.admin_audit(_before_id bigint default null, _limit integer default 50,
  _search text default null) returns jsonb
language plpgsql stable security definer set search_path = '' set plan_cache_mode = 'force_custom_plan' as $$
declare
  pattern text := case when btrim(coalesce(_search, '')) <> '' then app.like_pattern(_search) end;
begin
  perform app.require_admin();
  return (
    select coalesce(jsonb_agg(to_jsonb(g) || jsonb_build_object('actor_email', p.email, 'target_email', t.email)
      order by g.id desc), '[]')
    from (
      select a.* from app.audit_log a
      where a.id < coalesce(_before_id, 9223372036854775807)
        and (pattern is null or a.action ilike pattern or a.target_id ilike pattern
          or a.before::text ilike pattern or a.after::text ilike pattern or a.request_id ilike pattern
          or a.actor_id in (select q.id from app.profiles q where q.email ilike pattern)
          or (a.target_kind in ('user', 'affiliate')
            and a.target_id in (select q.id::text from app.profiles q where q.email ilike pattern)))
      order by a.id desc limit least(greatest(coalesce(_limit, 50), 1), 200)) g
    left join app.profiles p on p.id = g.actor_id
    left join app.profiles t on t.id = case when g.target_kind in ('user', 'affiliate')
      and g.target_id ~ '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' then g.target_id::uuid end);
end $$;

-- For the status page: which migrations this database has had.
create function app.applied_migrations() returns table (name text, applied_at timestamptz)
language plpgsql stable security definer set search_path = '' as $$
begin
  return query select m.name, m.applied_at from hoplet.migrations m order by m.name;
end $$;

-- The last 30 days in UTC, the oldest first: [{day, sign_ups, links, clicks}]. Deleted accounts and links are not in
-- it; the clicks of deleted links are.
create function api.admin_activity() returns jsonb
language plpgsql stable security definer set search_path = '' as $$
declare
  first_day date := (now() at time zone 'UTC')::date - 29;
begin
  perform app.require_admin();
  return (
    with days as (select first_day + n as day from generate_series(0, 29) n),
      people as (select (p.created_at at time zone 'UTC')::date as day, count(*) as n from app.profiles p
        where p.created_at >= first_day::timestamp at time zone 'UTC' group by 1),
      made as (select (s.created_at at time zone 'UTC')::date as day, count(*) as n from app.shortened_urls s
        where (s.created_at at time zone 'UTC')::date >= first_day group by 1),
      clicked as (select c.day, sum(c.clicks) as n from app.click_days c where c.day >= first_day group by 1)
    select jsonb_agg(jsonb_build_object('day', d.day, 'sign_ups', coalesce(p.n, 0), 'links', coalesce(m.n, 0),
        'clicks', coalesce(c.n, 0)) order by d.day)
    from days d left join people p using (day) left join made m using (day) left join clicked c using (day));
end $$;

-- The newest links, and those that were clicked most among the last 10,000 visits, with how often (recent_clicks): no
-- index has the order of all clicks (docs/decisions/0034). Rows as in admin_find_links. The procedure only says who may
-- ask: the server counts the visits where they are, and app.latest_links makes the answer.
create function api.admin_latest_links() returns jsonb
language plpgsql stable security definer set search_path = '' as $$
begin
  perform app.require_admin();
  return jsonb_build_object('hits', 10000);
end $$;

-- _busiest: [{"scope", "clicks"}], more than are shown, because some may have been deleted.
create function app.latest_links(_busiest jsonb) returns jsonb
language sql stable security definer set search_path = '' as $$
  with newest as (select s.id, row_number() over (order by s.created_at desc, s.id desc) as place, null::bigint as n
    from (
      select l.id, l.created_at from app.shortened_urls l
      order by (l.created_at at time zone 'UTC')::date desc, l.created_at desc limit 10) s),
    busiest as (select s.id, row_number() over (order by v.clicks desc, s.id) as place, v.clicks as n
      from jsonb_to_recordset(_busiest) as v (scope integer, clicks bigint)
        join app.click_scopes t on t.id = v.scope and t.kind = 'link' join app.shortened_urls s on s.id = t.ref
      order by v.clicks desc, s.id limit 10),
    listed as (select 'newest' as list, * from newest union all select 'busiest', * from busiest)
  select jsonb_build_object(
    'newest', coalesce(jsonb_agg(r.line order by r.place) filter (where r.list = 'newest'), '[]'),
    'busiest', coalesce(jsonb_agg(r.line order by r.place) filter (where r.list = 'busiest'), '[]'))
  from (select t.list, t.place, jsonb_build_object('id', l.id, 'short_code', app.shown_name(l.short_code),
      'original_url', l.original_url, 'title', l.title, 'user_id', l.user_id, 'email', p.email,
      'created_at', l.created_at, 'click_count', l.click_count, 'recent_clicks', t.n,
      'blocked', app.block_of(l.short_code, l.user_id, l.original_url)) as line
    from listed t join app.shortened_urls l on l.id = t.id left join app.profiles p on p.id = l.user_id) r
$$;

-- A ban through the admin API of the auth protocol switches off the person's publications, unless the caller says
-- otherwise, and its end switches it on again. An unban lifts the block of an admin too. Rows of bans that are over go.
create function app.follow_ban(account uuid, hides_published boolean) returns void
language plpgsql volatile security definer set search_path = '' as $$
declare
  ends timestamptz;
  lifted app.blocks;
begin
  select u.banned_until into ends from auth.users u where u.id = account and u.banned_until > now();
  delete from app.blocks b where b.kind = 'ban' and (b.value = account::text or b.ends_at <= now());
  if ends is null then
    delete from app.blocks b where b.kind = 'user' and b.value = account::text returning * into lifted;
    if found then perform app.lift_block(lifted); end if;
  elsif hides_published then
    insert into app.blocks (kind, value, ends_at) values ('ban', account::text, ends);
  end if;
  perform app.notify_block('ban', account::text);
end $$;

-- A ban through the admin API of the auth protocol, which only the key of role service_role opens, has its line in the
-- audit log.
create function app.audit_ban(account uuid, before timestamptz, request_id text) returns void
language sql volatile security definer set search_path = '' as $$
  insert into app.audit_log (actor_role, action, target_kind, target_id, before, after, request_id)
    select 'service_role', case when u.banned_until > now() then 'user.ban' else 'user.unban' end, 'user',
      account::text, jsonb_build_object('banned_until', audit_ban.before),
      jsonb_build_object('banned_until', u.banned_until, 'hides_published',
        app.block_of(null, account, null) is not null), left(audit_ban.request_id, 64)
    from auth.users u where u.id = account and u.banned_until is distinct from audit_ban.before
$$;

-- Gives or takes the admin role, as a claim of a sign-in provider has it, with a line in the audit log. A change that the
-- rules of roles refuse leaves the role, and a line too. Returns the refusal.
create function app.take_claimed_role(account uuid, is_admin boolean, provider text, request_id text) returns text
language plpgsql volatile security definer set search_path = '' as $$
declare
  role_before text := coalesce((select r.role from app.user_roles r where r.user_id = account), 'user');
  role_after text := case when is_admin then 'admin' else 'user' end;
  refusal text;
begin
  if role_before = role_after then return null; end if;
  begin
    insert into app.user_roles as r (user_id, role, claim_provider) values (account, role_after, provider)
      on conflict (user_id) do update set role = excluded.role, claim_provider = excluded.claim_provider;
  exception when raise_exception then
    refusal := sqlerrm;
  end;
  insert into app.audit_log (actor_role, action, target_kind, target_id, before, after, request_id)
    values ('hoplet_auth', case when refusal is null then 'role.claim' else 'role.claim_refused' end, 'user',
      account::text, jsonb_build_object('role', role_before),
      jsonb_strip_nulls(jsonb_build_object('role', role_after, 'provider', provider, 'refusal', refusal)),
      left(take_claimed_role.request_id, 64));
  return refusal;
end $$;

grant execute on function
  api.admin_activity(), api.admin_audit(bigint, integer, text), api.admin_block(text, text, text, boolean),
  api.admin_blocks(), api.admin_decide_report(uuid, boolean), api.admin_delete_user(uuid),
  api.admin_find_links(text, text, timestamptz, uuid, integer), api.admin_latest_links(),
  api.admin_reports(text, timestamptz, uuid, integer), api.admin_unblock(text, text),
  api.admin_update_user(uuid, text, text, text), api.admin_users(text, text, boolean, integer, integer)
  to authenticated, service_role;
grant execute on function
  app.applied_migrations(), app.delete_old_audit(integer), app.latest_links(jsonb), app.reported_target(text)
  to hoplet_worker;
grant execute on function app.audit_ban(uuid, timestamptz, text), app.follow_ban(uuid, boolean),
  app.take_claimed_role(uuid, boolean, text, text) to hoplet_auth;
