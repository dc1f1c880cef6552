-- The newest version of click records that a server reads. Release 1.0 does not name it: it reads 2, and skips others.
alter table app.servers add column reads_clicks smallint not null default 2;
