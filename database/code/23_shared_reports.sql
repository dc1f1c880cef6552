-- Reports that owners share (server/analytics/shared/).

-- The account, the address and the hash are never the client's. The table door has hashed the password; null or '' removes
-- it, and an update that does not name it leaves it as it is.
create function app.before_shared_report_write() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  if tg_op = 'INSERT' then
    if num_nonnulls(new.link_id, new.tag_id) <> 1 then
      raise check_violation using message = 'A shared report is about one link or one tag',
        constraint = 'shared_reports_subject_check';
    end if;
    select o.user_id into new.user_id from (
        select s.user_id from app.shortened_urls s where s.id = new.link_id
        union all select t.user_id from app.tags t where t.id = new.tag_id) o
      where o.user_id = coalesce(app.current_user_id(), o.user_id);
    if not found then
      raise exception 'No such %', case when new.tag_id is null then 'link' else 'tag' end using errcode = 'P0002';
    end if;
    if not app.shows_clicks(new.user_id) then
      raise exception 'Upgrade to view clicks' using errcode = '42501', hint = 'plan';
    end if;
    new.token := translate(encode(uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid()), 'base64'), '+/=', '-_');
  end if;
  new.password_hash := nullif(new.password, '');
  new.password_version := case when new.password_hash is not null then gen_random_uuid() end;
  new.password := null;
  perform app.refuse_plain_password(new.password_hash, 'shared_reports_password_hash');
  return new;
end $$;
create trigger before_write before insert or update of password on app.shared_reports
  for each row execute function app.before_shared_report_write();

-- Blank texts are none.
create function app.trim_shared_report() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  new.title := nullif(app.trimmed(new.title), '');
  new.shown_name := nullif(app.trimmed(new.shown_name), '');
  return new;
end $$;
create trigger trim before insert or update of title, shown_name on app.shared_reports
  for each row execute function app.trim_shared_report();

-- An app that shares a report has changed its link or tag.
create function app.record_shared_report() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  if app.claims() ->> 'client_id' is not null and pg_trigger_depth() = 1 then
    perform app.record_app_change(s.user_id, 'changed', 'link', s.id, app.shown_name(s.short_code))
      from app.shortened_urls s where s.id = coalesce(new.link_id, old.link_id);
    perform app.record_app_change(t.user_id, 'changed', 'tag', t.id, t.name)
      from app.tags t where t.id = coalesce(new.tag_id, old.tag_id);
  end if;
  return null;
end $$;
create trigger record_app_change after insert or update or delete on app.shared_reports
  for each row execute function app.record_shared_report();

create policy own_all on app.shared_reports to authenticated
  using (user_id = (select app.current_user_id())) with check (user_id = (select app.current_user_id()));
create policy service_all on app.shared_reports to service_role using (true) with check (true);

create view api.shared_reports with (security_invoker = true) as
  select id, user_id, link_id, tag_id, title, shown_name, token, enabled, password,
    password_version is not null as has_password, expires_at, created_at
  from app.shared_reports;
comment on view api.shared_reports is
  'Reports of your links and tags that anyone with the address can read: /analytics/shared/ and the token.';
comment on column api.shared_reports.user_id is '@hasDefault';
comment on column api.shared_reports.title is 'Null: the title of the link, or the name of the tag.';
comment on column api.shared_reports.shown_name is 'A name that you show; null: nobody is named.';
comment on column api.shared_reports.token is '@hasDefault';
comment on column api.shared_reports.password is 'Write-only; null or an empty text removes it.';
comment on column api.shared_reports.has_password is '@notNull';

grant select (id, user_id, link_id, tag_id, title, shown_name, token, enabled, has_password, expires_at, created_at), delete,
  insert (link_id, tag_id, title, shown_name, enabled, password, expires_at),
  update (title, shown_name, enabled, password, expires_at)
  on api.shared_reports to authenticated, service_role;

-- Whether the plan of an account shows clicks; admins see them on each plan. Visitors have no session of the owner, so an
-- admin by a claim counts as anyone else (docs/decisions/0068-admins-by-a-claim.md).
create function app.shows_clicks(account uuid) returns boolean
language sql stable security definer set search_path = '' as $$
  select exists (select from app.user_roles r where r.user_id = account and r.role = 'admin'
      and r.claim_provider is null)
    or (select l.can_view_clicks from app.plan_limits(app.plan_of(account)) l)
$$;

-- The facts of a shared report that visitors may know; no row while it is off, over, blocked, or its plan shows no
-- clicks. A link that is blocked does not end the report of its tag (app.links_of_report).
create function app.live_shared_report(_token text) returns table (id uuid, link_id uuid, tag_id uuid,
  short_code text, tag text, title text, shown_name text, zone text, password_hash text, password_version uuid)
language sql stable security definer set search_path = '' as $$
  select r.id, r.link_id, r.tag_id, app.shown_name(s.short_code), t.name, coalesce(r.title, s.title, t.name), r.shown_name,
    coalesce(p.time_zone, 'UTC'), r.password_hash, r.password_version
  from app.shared_reports r left join app.shortened_urls s on s.id = r.link_id left join app.tags t on t.id = r.tag_id
    left join app.profiles p on p.id = r.user_id
  where r.token = _token and r.enabled and (r.expires_at is null or r.expires_at > now())
    and app.block_of(s.short_code, r.user_id, s.original_url) is null and app.shows_clicks(r.user_id)
$$;
grant execute on function app.live_shared_report(text) to hoplet_visits;

-- The links of a shared report as visitors see them: its link, or up to _rows with its tag, first those that were clicked
-- most, by the numbers of their scopes. How many there are, and not those that are blocked.
create function app.links_of_report(_link uuid, _tag uuid, _clicked integer[], _rows integer) returns table (
  links bigint, scope integer, id uuid, short_code text, title text, is_split boolean)
language sql stable security definer set search_path = '' as $$
  with found as materialized (
      select s.* from app.shortened_urls s where s.id = _link
      union all
      select s.* from app.tags t join app.shortened_urls s on s.user_id = t.user_id and s.tags <> '{}'
        and s.tags @> array[t.name] where t.id = _tag),
    chosen as (
      select f.id, f.short_code, f.title, f.user_id, f.original_url, f.created_at, c.id as scope
      from found f left join app.click_scopes c on c.ref = f.id
      order by array_position(_clicked, c.id), f.created_at desc, f.id limit _rows)
  select (select count(*) from found), coalesce(c.scope, 0), c.id, app.shown_name(c.short_code), c.title,
    exists (select from app.link_rules l cross join jsonb_array_elements(l.rules) r
      where l.link_id = c.id and r ? 'split')
  from chosen c where app.block_of(c.short_code, c.user_id, c.original_url) is null
  order by array_position(_clicked, c.scope), c.created_at desc, c.id
$$;
grant execute on function app.links_of_report(uuid, uuid, integer[], integer) to hoplet_reports;
