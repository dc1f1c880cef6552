-- A name for the owner's lists, which no visitor sees.
alter table app.popups
  add name text,
  add constraint popups_name_check check (length(name) <= 100),
  add constraint popups_name_visible check (app.is_visible(name));
grant select (name) on app.popups to anon;
grant insert (name), update (name) on app.popups to authenticated;
