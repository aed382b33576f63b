import { TextInput } from '@mantine/core'
import type { ReactNode } from 'react'
import { slugFrom } from './slug.ts'

interface Props {
  form: { values: { name: string }; getInputProps: (field: 'name' | 'slug') => object }
  /** What a short name is for. */
  about: string
  /** What is to be known of the name. */
  hint?: ReactNode
  isFirst?: boolean | undefined
  readOnly?: boolean
}

/** What an organization or a company is called; the short name follows the name until someone writes their own. */
export function NameFields({ form, about, hint, isFirst, readOnly = false }: Props) {
  return (
    <>
      <TextInput
        label="Name"
        data-autofocus={isFirst || undefined}
        maxLength={255}
        readOnly={readOnly}
        description={hint}
        inputWrapperOrder={['label', 'input', 'error', 'description']}
        {...form.getInputProps('name')}
      />
      <TextInput
        label="Short name"
        description={about}
        placeholder={slugFrom(form.values.name)}
        maxLength={100}
        readOnly={readOnly}
        {...form.getInputProps('slug')}
      />
    </>
  )
}
