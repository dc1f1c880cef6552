-- Former codes of links: they lead on until their owner releases them.
alter table app.names
  drop constraint names_kind_check,
  add constraint names_kind_check check (kind in ('link', 'alias', 'bio', 'reserved')),
  -- The code of the link that an alias leads to; null once it is released.
  add alias_of text references app.shortened_urls (short_code) on update cascade deferrable,
  add constraint names_alias_of check (alias_of is null or kind = 'alias');
create index names_alias_of on app.names (alias_of) where alias_of is not null;
