/** The columns of a link that the screens read, by name. */
export const linkColumns =
  'id,short_code,original_url,show_popup,popup_id,click_count,created_at,first_click_at,last_click_at,is_blocked,is_disabled'
