create policy worker_all on app.mail_outbox to hoplet_worker using (true) with check (true);
create policy billing_write on app.mail_outbox for insert to hoplet_billing with check (true);
create policy billing_keys on app.mail_outbox for select to hoplet_billing using (true);
create policy auth_write on app.mail_outbox for insert to hoplet_auth with check (true);
create policy auth_keys on app.mail_outbox for select to hoplet_auth using (true);
create policy worker_all on app.servers to hoplet_worker using (true) with check (true);
create policy worker_all on app.backup_schedules to hoplet_worker using (true) with check (true);
create policy worker_read on app.leases for select to hoplet_worker using (true);

-- Leases (server/postgres/leases.ts): a job that only one process may do at a time has a name, and a holder until the
-- lease ends.

create function app.is_leased(_name text) returns boolean
language sql stable security definer set search_path = '' as $$
  select exists (select from app.leases l where l.name = _name and l.ends_at > now())
$$;

-- False: another process has it. One's own is extended, also after it was over, if no one took it meanwhile.
create function app.take_lease(_name text, _holder uuid, _seconds integer) returns boolean
language sql volatile security definer set search_path = '' as $$
  with taken as (
    insert into app.leases as l (name, holder, ends_at) values (_name, _holder, now() + make_interval(secs => _seconds))
      on conflict (name) do update set holder = excluded.holder, ends_at = excluded.ends_at
        where l.ends_at <= now() or l.holder = _holder
      returning 1)
  select exists (select from taken)
$$;

-- False: it was over before, and something else may have happened since.
create function app.renew_lease(_name text, _holder uuid, _seconds integer) returns boolean
language sql volatile security definer set search_path = '' as $$
  with renewed as (
    update app.leases l set ends_at = now() + make_interval(secs => _seconds)
      where l.name = _name and l.holder = _holder and l.ends_at > now() returning 1)
  select exists (select from renewed)
$$;

-- _stays: it is over, and stays for someone who looks for work that failed.
create function app.end_lease(_name text, _holder uuid, _stays boolean) returns void
language plpgsql volatile security definer set search_path = '' as $$
begin
  if _stays then update app.leases l set ends_at = now() where l.name = _name and l.holder = _holder;
  else delete from app.leases l where l.name = _name and l.holder = _holder; end if;
end $$;

grant execute on function
  app.end_lease(text, uuid, boolean), app.is_leased(text), app.renew_lease(text, uuid, integer),
  app.take_lease(text, uuid, integer)
  to hoplet_billing, hoplet_visits, hoplet_worker;
