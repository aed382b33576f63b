import { Accordion, Stack, Text, TextInput } from '@mantine/core'
import type { UseFormReturnType } from '@mantine/form'
import { endpointLabels } from './provider-labels.ts'
import { endpointNames, type ProviderValues } from './provider-values.ts'

type Form = UseFormReturnType<ProviderValues>

interface Props {
  form: Form
  /** A new provider finds its endpoints itself. */
  hasEndpoints: boolean
}

/** Settings that the preset or the provider's discovery decides. */
export function AdvancedFields({ form, hasEndpoints }: Props) {
  const isWrong = Object.keys(form.errors).some((field) => /^(scopes|attributeMapping)|Url$/.test(field))
  return (
    <Accordion variant="contained" {...(isWrong && { value: 'advanced' })}>
      <Accordion.Item value="advanced">
        <Accordion.Control fz="sm">Advanced</Accordion.Control>
        <Accordion.Panel>
          <Stack gap="sm">
            <TextInput
              label="Scopes"
              description="Scopes that Homeport requests, separated by spaces."
              autoComplete="off"
              maxLength={500}
              {...form.getInputProps('scopes')}
            />
            <ClaimFields form={form} />
            {hasEndpoints && <EndpointFields form={form} />}
          </Stack>
        </Accordion.Panel>
      </Accordion.Item>
    </Accordion>
  )
}

const claims = [
  ['email', 'Email claim'],
  ['name', 'Name claim'],
  ['firstName', 'First name claim'],
  ['lastName', 'Last name claim'],
  ['groups', 'Groups claim'],
] as const

function ClaimFields({ form }: { form: Form }) {
  return claims.map(([claim, label]) => (
    <TextInput
      key={claim}
      label={label}
      autoComplete="off"
      spellCheck={false}
      maxLength={255}
      {...form.getInputProps(`attributeMapping.${claim}`)}
    />
  ))
}

function EndpointFields({ form }: { form: Form }) {
  return (
    <>
      <Text size="sm" c="dimmed">
        Homeport discovers these from the issuer. Set one only if the issuer doesn’t publish it.
      </Text>
      {endpointNames.map((name) => (
        <TextInput
          key={name}
          label={endpointLabels[name]}
          type="url"
          autoComplete="off"
          maxLength={500}
          {...form.getInputProps(name)}
        />
      ))}
    </>
  )
}
