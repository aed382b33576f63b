interface Form {
  getInputNode: (path: never) => HTMLElement | null
}

/** Takes the keyboard to the first field that is wrong. */
export function focusFirstError(form: Form, errors: Record<string, unknown>): void {
  const [path] = Object.keys(errors)
  if (path) form.getInputNode(path as never)?.focus()
}
