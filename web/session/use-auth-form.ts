import { type FormOptions, type FormRefusal, useForm } from '#web/forms/use-form.ts'
import { useCaptcha } from './captcha.tsx'

interface AuthFormOptions<Output> extends Omit<FormOptions<Output>, 'submit'> {
  submit: (data: Output, options: { captchaToken?: string }) => Promise<FormRefusal | void>
}

/** A form with a call that may need a captcha. Its widget belongs in the form. */
export function useAuthForm<Output>({ submit, ...options }: AuthFormOptions<Output>) {
  const captcha = useCaptcha()
  const form = useForm({
    ...options,
    submit: async (data: Output) => {
      const solved = captcha.take()
      return solved && (await submit(data, solved))
    },
  })
  return { ...form, captcha: captcha.widget }
}
