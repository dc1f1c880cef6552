-- A block of a person says whether the person's publications are off too. A ban through the admin API of the auth protocol
-- that switches them off is a row of kind 'ban', until it ends. Earlier bans leave them on, as they did.
alter table app.blocks
  drop constraint blocks_kind_check,
  add constraint blocks_kind_check check (kind in ('link', 'host', 'user', 'ban')),
  add column hides_published boolean not null default true,
  add column ends_at timestamptz,
  add constraint blocks_ends_at_check check ((kind = 'ban') = (ends_at is not null));
