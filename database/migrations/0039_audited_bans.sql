-- A ban through the admin API of the auth protocol, which only the key of role service_role opens, has its line in the audit log.
create function app.audit_ban(account uuid, before timestamptz, request_id text) returns void
language sql volatile security definer set search_path = '' as $$
  insert into app.audit_log (actor_role, action, target_kind, target_id, before, after, request_id)
    select 'service_role', case when u.banned_until > now() then 'user.ban' else 'user.unban' end, 'user', account::text,
      jsonb_build_object('banned_until', audit_ban.before), jsonb_build_object('banned_until', u.banned_until), left(audit_ban.request_id, 64)
    from auth.users u where u.id = account and u.banned_until is distinct from audit_ban.before
$$;
revoke execute on function app.audit_ban(uuid, timestamptz, text) from public;
grant execute on function app.audit_ban(uuid, timestamptz, text) to hoplet_auth;
