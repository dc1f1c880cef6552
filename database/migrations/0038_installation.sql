-- Choices of the operator that hold for every server of the database. The last server that started has set them
-- (server/installation/installation.ts).
create table app.installation (
  is_only boolean primary key default true check (is_only),
  -- PLANS
  has_plans boolean not null default true,
  -- LINKS_PER_ACCOUNT: the bound where there are no plans.
  links_per_account integer not null default 100000 check (links_per_account > 0)
);
insert into app.installation default values;

-- A trigger of api.user_plans writes for admins and the service.
revoke update (plan_type) on app.user_plans from authenticated;
revoke insert, update, delete on app.user_plans from service_role;

alter table app.installation enable row level security, force row level security;
create policy owner_all on app.installation to hoplet_owner using (true) with check (true);
