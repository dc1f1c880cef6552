-- What a person has allowed an app for: '' are the doors, else the resource of its tokens (RFC 8707). Earlier consents know none,
-- so those people are asked once more.
alter table auth.oauth_consents add column resources text[] not null default '{}' check (cardinality(resources) <= 10);
