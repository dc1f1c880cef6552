create policy worker_all on app.mail_outbox to hoplet_worker using (true) with check (true);
create policy billing_write on app.mail_outbox for insert to hoplet_billing with check (true);
create policy billing_keys on app.mail_outbox for select to hoplet_billing using (true);
create policy auth_write on app.mail_outbox for insert to hoplet_auth with check (true);
create policy auth_keys on app.mail_outbox for select to hoplet_auth using (true);
create policy worker_all on app.servers to hoplet_worker using (true) with check (true);
create policy worker_all on app.backup_schedules to hoplet_worker using (true) with check (true);
