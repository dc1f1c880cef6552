-- Who did what as an admin. Rows are only ever added, for every role and for the owner too.
create table app.audit_log (
  id bigint generated always as identity primary key,
  at timestamptz not null default clock_timestamp(),
  -- No foreign keys: the log outlives accounts. An empty actor is the command line or the service itself.
  actor_id uuid,
  actor_role text not null,
  action text not null check (length(action) between 1 and 60),
  target_kind text not null check (length(target_kind) <= 40),
  target_id text not null check (length(target_id) <= 2100),
  before jsonb,
  after jsonb,
  request_id text check (length(request_id) <= 64)
);
create index audit_log_target on app.audit_log (target_kind, target_id, id desc);
create index audit_log_actor on app.audit_log (actor_id, id desc);

create function app.refuse_change_of_log() returns trigger
language plpgsql set search_path = '' as $$
begin
  raise insufficient_privilege using message = 'The audit log is append-only.';
end $$;
create trigger append_only before update or delete on app.audit_log
  for each row execute function app.refuse_change_of_log();
create trigger append_only_truncate before truncate on app.audit_log
  for each statement execute function app.refuse_change_of_log();

alter table app.audit_log enable row level security;
alter table app.audit_log force row level security;
create policy owner_read on app.audit_log for select to hoplet_owner using (true);
create policy owner_add on app.audit_log for insert to hoplet_owner with check (true);
-- Not even the owner's own functions may change a line.
revoke update, delete, truncate on app.audit_log from hoplet_owner;

-- Writes one line, in the transaction of the act. Only rules and admin functions call it.
create function app.audit(action text, target_kind text, target_id text, before jsonb, after jsonb) returns void
language sql volatile security definer set search_path = '' as $$
  insert into app.audit_log (actor_id, actor_role, action, target_kind, target_id, before, after, request_id)
  values (app.current_user_id(), coalesce(app.claims() ->> 'role', 'system'), audit.action, audit.target_kind,
    left(audit.target_id, 2100), audit.before, audit.after, nullif(current_setting('hoplet.request_id', true), ''))
$$;

-- For functions of admins; anybody else gets 42501, which the table door answers as 403.
create function app.require_admin() returns void
language plpgsql stable security definer set search_path = '' as $$
begin
  if app.claims() ->> 'role' = 'service_role' then return; end if;
  if not app.is_admin() then
    raise insufficient_privilege using message = 'permission denied: this is for admins';
  end if;
end $$;

-- Acts that a stolen admin session must not do: the session has to be younger than 15 minutes.
create function app.require_recent_sign_in() returns void
language plpgsql stable security definer set search_path = '' as $$
begin
  if app.claims() ->> 'role' is distinct from 'authenticated' then return; end if;
  if not exists (select 1 from auth.sessions s where s.id = nullif(app.claims() ->> 'session_id', '')::uuid
      and s.user_id = app.current_user_id() and s.created_at > now() - interval '15 minutes') then
    raise exception using errcode = 'P0001', message = 'Please sign in again to confirm this.',
      hint = 'reauthentication_needed';
  end if;
end $$;
