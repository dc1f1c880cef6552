-- A notice that an address has an account already is not worth a second mail within a minute: the auth door asks whether
-- one of any kind went there.

grant select (recipient, created_at) on app.mail_outbox to hoplet_auth;
create index mail_outbox_recipient on app.mail_outbox (recipient, created_at);
