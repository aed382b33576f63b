import { Button, List, Stack, Text } from '@mantine/core'
import { Children, type FormEvent, type ReactNode, useState } from 'react'
import { focusFirstField } from './dialog-focus.ts'
import { DialogFooter } from './dialog-footer.tsx'
import { FormError } from './form-error.tsx'
import { TypedName } from './typed-name.tsx'

export interface ConfirmTexts {
  /** What happens: a list has one line for each consequence. */
  consequences: ReactNode | readonly ReactNode[]
  /** Labels of the buttons. */
  confirm: string
  cancel?: string | undefined
  /** Nothing is destroyed, and nobody loses access. */
  isHarmless?: boolean | undefined
  /** For what cannot be undone: the name that has to be typed. */
  typedName?: string | undefined
  /** Heading of an error. */
  failed?: string | undefined
}

interface Props extends ConfirmTexts {
  isPending?: boolean
  error?: unknown
  /** A field in `children` keeps the action from being confirmed. */
  isBlocked?: boolean
  onConfirm: (event: FormEvent<HTMLFormElement>) => void
  onCancel: () => void
  /** Fields, and what else there is to know. */
  children?: ReactNode
}

/**
 * Content of a dialog that confirms an action. The focus is on the first field, or else on the button that changes
 * nothing; on the confirming one only if the action is harmless.
 */
export function ConfirmForm(props: Props) {
  const { confirm, cancel = 'Cancel', isHarmless = false, typedName, isPending = false, isBlocked = false } = props
  const [typed, setTyped] = useState('')
  const isUnconfirmed = isBlocked || (typedName !== undefined && typed.trim() !== typedName.trim())
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    if (!isUnconfirmed && !isPending) props.onConfirm(event)
  }
  return (
    <form ref={focusFirstField} onSubmit={submit} noValidate>
      <Stack gap="sm">
        <Consequences>{props.consequences}</Consequences>
        {props.children}
        {typedName !== undefined && <TypedName name={typedName} value={typed} onChange={setTyped} />}
        <FormError error={props.error} title={props.failed} />
        <DialogFooter>
          <Button
            variant="default"
            data-autofocus={!isHarmless || undefined}
            disabled={isPending}
            onClick={props.onCancel}
          >
            {cancel}
          </Button>
          <Button
            type="submit"
            data-autofocus={isHarmless || undefined}
            loading={isPending}
            disabled={isUnconfirmed}
            {...(!isHarmless && { color: 'red' })}
          >
            {confirm}
          </Button>
        </DialogFooter>
      </Stack>
    </form>
  )
}

function Consequences({ children }: { children: ConfirmTexts['consequences'] }) {
  if (!isList(children))
    return (
      <Text size="sm" component="div">
        {children}
      </Text>
    )
  return (
    <List size="sm" spacing={4}>
      {Children.map(Children.toArray(children), (line) => (
        <List.Item>{line}</List.Item>
      ))}
    </List>
  )
}

const isList = (consequences: ConfirmTexts['consequences']): consequences is readonly ReactNode[] =>
  Array.isArray(consequences)
