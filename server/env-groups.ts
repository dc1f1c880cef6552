/** Variables that mean something only together, and those that need one of them. */
const groups = [
  { all: ['AI_BASE_URL', 'AI_API_KEY', 'AI_TEXT_MODEL'], more: ['AI_IMAGE_MODEL'] },
  {
    all: ['S3_ENDPOINT', 'S3_BUCKET', 'S3_ACCESS_KEY_ID', 'S3_SECRET_ACCESS_KEY'],
    more: ['S3_REGION'],
  },
  {
    all: ['STRIPE_SECRET_KEY', 'STRIPE_PRICE_PRO', 'STRIPE_PRICE_BUSINESS'],
    more: ['STRIPE_WEBHOOK_SECRET', 'STRIPE_API_URL'],
  },
  {
    all: ['CAPTCHA_PROVIDER', 'CAPTCHA_SITE_KEY', 'CAPTCHA_SECRET'],
    more: ['CAPTCHA_VERIFY_URL'],
  },
  // A sender alone is no mistake: it stands in the mails that become files.
  { all: ['MAIL_FROM'], more: ['SMTP_URL'] },
] as const

/** One problem for each variable that is missing beside another of its group. */
export function groupProblems(values: Record<string, string | undefined>): string[] {
  return groups.flatMap(({ all, more }) => {
    const set = [...all, ...more].find((name) => values[name] !== undefined)
    if (set === undefined) return []
    return all
      .filter((name) => values[name] === undefined)
      .map((name) => `${name}: is missing, though ${set} is set`)
  })
}
