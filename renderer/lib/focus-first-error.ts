import type { UseFormReturnType } from '@mantine/form'

/** Focuses the first invalid field, which may be out of sight. */
export function focusFirstError<Values>(
  form: Pick<UseFormReturnType<Values>, 'getInputNode'>,
  errors: Record<string, unknown>,
) {
  const [first] = Object.keys(errors)
  if (first !== undefined) form.getInputNode(first)?.focus()
}
