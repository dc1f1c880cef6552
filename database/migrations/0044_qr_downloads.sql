-- QR codes that an account downloaded today by program or on sheets: each counts once per look and day. `code` is a short code, the
-- address of a bio page, or `code/mark` of a placement; `look` the id of a look, or `plain`.
create table app.qr_downloads (
  user_id uuid not null references auth.users on delete cascade,
  day date not null,
  code text not null check (length(code) <= 100),
  look text not null check (length(look) <= 36),
  primary key (user_id, day, code, look)
);
alter table app.qr_downloads enable row level security, force row level security;
create policy owner_all on app.qr_downloads to hoplet_owner using (true) with check (true);
