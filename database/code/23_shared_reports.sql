-- Reports that owners share (server/analytics/shared/).

-- The account, the address and the hash are never the client's. The table door has hashed the password; null or '' removes
-- it, and an update that does not name it leaves it as it is.
create function app.before_shared_report_write() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  if tg_op = 'INSERT' then
    select s.user_id into new.user_id from app.shortened_urls s where s.id = new.link_id
      and s.user_id = coalesce(app.current_user_id(), s.user_id);
    if not found then raise exception 'No such link' using errcode = 'P0002'; end if;
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

-- An app that shares a report has changed its link.
create function app.record_shared_report() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  if app.claims() ->> 'client_id' is not null and pg_trigger_depth() = 1 then
    perform app.record_app_change(s.user_id, 'changed', 'link', s.id, s.short_code)
      from app.shortened_urls s where s.id = coalesce(new.link_id, old.link_id);
  end if;
  return null;
end $$;
create trigger record_app_change after insert or update or delete on app.shared_reports
  for each row execute function app.record_shared_report();

create policy own_all on app.shared_reports to authenticated
  using (user_id = (select app.current_user_id())) with check (user_id = (select app.current_user_id()));
create policy service_all on app.shared_reports to service_role using (true) with check (true);

create view api.shared_reports with (security_invoker = true) as
  select id, link_id, token, enabled, password, password_version is not null as has_password, expires_at, created_at
  from app.shared_reports;
comment on view api.shared_reports is
  'Reports of your links that anyone with the address can read: /analytics/shared/ and the token.';
comment on column api.shared_reports.token is '@hasDefault';
comment on column api.shared_reports.password is 'Write-only; null or an empty text removes it.';
comment on column api.shared_reports.has_password is '@notNull';

grant select (id, link_id, token, enabled, has_password, expires_at, created_at), delete,
  insert (link_id, enabled, password, expires_at), update (enabled, password, expires_at)
  on api.shared_reports to authenticated, service_role;

-- Whether the plan of an account shows clicks; admins see them on each plan.
create function app.shows_clicks(account uuid) returns boolean
language sql stable security definer set search_path = '' as $$
  select exists (select from app.user_roles r where r.user_id = account and r.role = 'admin')
    or (select l.can_view_clicks from app.plan_limits(app.plan_of(account)) l)
$$;

-- The facts of a shared report that visitors may know; no row while it is off, over, blocked, or its plan shows no clicks.
create function app.live_shared_report(_token text) returns table (id uuid, link_id uuid, short_code text, title text,
  zone text,
  password_hash text, password_version uuid)
language sql stable security definer set search_path = '' as $$
  select r.id, s.id, s.short_code, s.title, coalesce(p.time_zone, 'UTC'), r.password_hash, r.password_version
  from app.shared_reports r join app.shortened_urls s on s.id = r.link_id left join app.profiles p on p.id = s.user_id
  where r.token = _token and r.enabled and (r.expires_at is null or r.expires_at > now())
    and app.block_of(s.short_code, s.user_id, s.original_url) is null and app.shows_clicks(s.user_id)
$$;
grant execute on function app.live_shared_report(text) to hoplet_visits;
