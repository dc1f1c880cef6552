-- Notes on days in the reports of an account, one per day: "newsletter went out".
create table app.day_notes (
  id uuid primary key default gen_random_uuid(),
  user_id uuid not null default app.current_user_id() references auth.users on delete cascade,
  -- In the time zone of the account's reports.
  day date not null check (day between '2000-01-01' and '2099-12-31'),
  text text not null constraint day_notes_text check (length(text) <= 200 and app.is_visible(text)),
  created_at timestamptz not null default now(),
  constraint day_notes_day_key unique (user_id, day)
);

alter table app.day_notes enable row level security, force row level security;
create policy owner_all on app.day_notes to hoplet_owner using (true) with check (true);
grant select, insert, update, delete on app.day_notes to service_role;
grant select, delete, insert (user_id, day, text), update (day, text) on app.day_notes to authenticated;
