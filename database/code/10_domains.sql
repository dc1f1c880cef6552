create policy visits_read on app.domains for select to hoplet_visits using (true);
create policy worker_read on app.domains for select to hoplet_worker using (true);

-- Servers read the served hosts again.
create function app.notify_domains() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  perform pg_notify('hoplet_domains', '');
  return null;
end $$;
create trigger notify after insert or delete or update of host, is_served on app.domains
  for each statement execute function app.notify_domains();
