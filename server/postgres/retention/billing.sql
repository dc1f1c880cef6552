-- As hoplet_billing (retention.ts).

-- A mark is needed for as long as the provider can repeat its event.
delete from app.billing_events where received_at < now() - interval '90 days';

delete from app.play_money_pages where expires_at < now() - interval '1 day';
