-- Looks of QR codes.
create trigger trim before insert or update of name on app.qr_looks
  for each row execute function app.trim_texts('name');
create trigger limit_looks after insert on app.qr_looks
  for each row execute function app.limit_rows_of_account('20', 'looks of QR codes');

-- The earlier default ends when another look becomes it. The account is locked before the row is there: the check at the end of one
-- transaction would wait for the row of another one, which waits for the lock.
create function app.before_default_look() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  perform 1 from auth.users u where u.id = new.user_id for no key update;
  return new;
end $$;
create trigger lock_default before insert or update of is_default, user_id on app.qr_looks
  for each row when (new.is_default) execute function app.before_default_look();

create function app.after_default_look() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  -- A statement that makes several the default leaves the first one.
  update app.qr_looks set is_default = false where user_id = new.user_id and is_default and id <> new.id
    and exists (select from app.qr_looks l where l.id = new.id and l.is_default);
  return null;
end $$;
create trigger move_default after insert or update of is_default, user_id on app.qr_looks
  for each row when (new.is_default) execute function app.after_default_look();

create policy service_all on app.qr_looks to service_role using (true) with check (true);
create policy own_all on app.qr_looks to authenticated
  using (user_id = (select app.current_user_id())) with check (user_id = (select app.current_user_id()));

create view api.qr_looks with (security_invoker = true) as
  select id, user_id, name, look, is_default, created_at from app.qr_looks;
comment on view api.qr_looks is 'Looks of your QR codes: shapes, colors, logo and frame. One may be the default.';
comment on column api.qr_looks.look is
  'cells, corners, color, cornerColor, background, quiet, logo, logoSize, frame and caption; a missing one is plain';
grant select, insert, update, delete on api.qr_looks to authenticated, service_role;
