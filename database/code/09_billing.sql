-- A deleted account is charged no more: the job in server/billing/ cancels its subscription.
create function app.request_cancellation() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  update app.billing_customers c set cancel_requested_at = now() where c.user_id = old.id;
  return old;
end $$;
create trigger request_cancellation before delete on auth.users
  for each row execute function app.request_cancellation();

create policy billing_all on app.billing_customers to hoplet_billing using (true) with check (true);
create policy billing_all on app.billing_events to hoplet_billing using (true) with check (true);
create policy billing_all on app.billing_reconciles to hoplet_billing using (true) with check (true);
create policy billing_all on app.billing_invoices to hoplet_billing using (true) with check (true);
create policy billing_all on app.play_money_customers to hoplet_billing using (true) with check (true);
create policy billing_all on app.play_money_pages to hoplet_billing using (true) with check (true);
create policy billing_all on app.play_money_clock to hoplet_billing using (true) with check (true);
