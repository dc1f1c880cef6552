-- A webhook may add leads to a list of an email provider: its requests are those of the provider's API
-- (server/webhooks/lead-providers.ts). Its secret is the API key.
alter table app.webhooks
  add provider text check (provider in ('brevo', 'mailchimp', 'listmonk')),
  add list text check (length(list) <= 50),
  add constraint webhooks_provider check ((provider is null) = (list is null)
    and (provider is null or events = '{lead.created}'));
