-- Looks of QR codes: shapes, colors, logo and frame (domain/qr/qr-look.ts).
create table app.qr_looks (
  id uuid primary key default gen_random_uuid(),
  user_id uuid not null default app.current_user_id() references auth.users on delete cascade,
  name text not null constraint qr_looks_name
    check (length(name) <= 60 and app.is_visible(name) and name !~ '[[:cntrl:]]'),
  look jsonb not null constraint qr_looks_look
    check (jsonb_typeof(look) = 'object' and octet_length(look::text) <= 40000),
  is_default boolean not null default false,
  created_at timestamptz not null default now(),
  -- Deferred, because the earlier default is turned off after another one became it.
  constraint qr_looks_one_default exclude using btree (user_id with =) where (is_default)
    deferrable initially deferred
);
create unique index qr_looks_name_key on app.qr_looks (user_id, lower(name));

alter table app.qr_looks enable row level security, force row level security;
create policy owner_all on app.qr_looks to hoplet_owner using (true) with check (true);
grant select, insert, update, delete on app.qr_looks to service_role;
grant select, delete, insert (user_id, name, look, is_default), update (user_id, name, look, is_default)
  on app.qr_looks to authenticated;
