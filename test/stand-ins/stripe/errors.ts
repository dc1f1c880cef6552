import type Stripe from 'stripe'

type ErrorBody = Pick<Stripe.StripeRawError, 'message' | 'code' | 'param'> & { type: string }

/** The stand-in's answer instead of an object, with Stripe's status and words. */
export class StandInError extends Error {
  name = 'StandInError'
  readonly status: number
  readonly body: { error: ErrorBody }
  constructor(status: number, error: ErrorBody) {
    super(error.message)
    this.status = status
    this.body = { error }
  }
}

const invalid = (status: number, message: string, more: { code?: string; param?: string } = {}) =>
  new StandInError(status, { type: 'invalid_request_error', message, ...more })

export const errors = {
  noKey: () =>
    invalid(
      401,
      "You did not provide an API key. You need to provide your API key in the Authorization header, using Bearer auth (e.g. 'Authorization: Bearer YOUR_SECRET_KEY').",
    ),
  wrongKey: (key: string) =>
    invalid(401, `Invalid API Key provided: ${key.slice(0, 8)}***${key.slice(-4)}`),
  noRoute: (method: string, path: string) =>
    invalid(
      404,
      `Unrecognized request URL (${method}: ${path}). Please see https://stripe.com/docs or we can help at https://support.stripe.com/.`,
    ),
  missing: (what: string, id: string, param: string) =>
    invalid(404, `No such ${what}: '${id}'`, { code: 'resource_missing', param }),
  missingReference: (what: string, id: string, param: string) =>
    invalid(400, `No such ${what}: '${id}'`, { code: 'resource_missing', param }),
  required: (param: string) =>
    invalid(400, `Missing required param: ${param}.`, { code: 'parameter_missing', param }),
  unknown: (param: string) =>
    invalid(400, `Received unknown parameter: ${param}`, { code: 'parameter_unknown', param }),
  wrong: (message: string, param: string) =>
    invalid(400, message, { code: 'parameter_invalid', param }),
  /** The state of things does not allow it. */
  refused: (message: string, code?: string) =>
    invalid(400, message, code === undefined ? {} : { code }),
  chargedBack: (id: string) =>
    invalid(400, `Charge ${id} has been charged back; cannot issue a refund.`, {
      code: 'charge_disputed',
    }),
  refunded: (id: string) =>
    invalid(400, `Charge ${id} has already been refunded.`, { code: 'charge_already_refunded' }),
  otherParameters: (key: string) =>
    new StandInError(400, {
      type: 'idempotency_error',
      message: `Keys for idempotent requests can only be used with the same parameters they were first used with. Try using a key other than '${key}' if you meant to execute a different request.`,
    }),
}
