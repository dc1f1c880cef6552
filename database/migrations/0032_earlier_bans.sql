-- Of a person who was banned before the block: lifting it brings that ban back.
alter table app.blocks add column banned_until timestamptz;
