import { Code, List, Text, Title } from '@mantine/core'
import { CommandLine } from '../../../ui/command-line.tsx'

const example = `{
  "version": 1,
  "certificateAuthorities": [
    {
      "id": "corp-root",
      "pemFile": "ca/corp-root.pem"
    }
  ],
  "hosts": [
    {
      "host": "idp.corp.lan",
      "port": 443,
      "addresses": ["10.20.0.15/32"],
      "ca": ["corp-root"]
    }
  ]
}`

interface Props {
  /** Path of the file; null for users who may not see it. */
  file: string | null
  /** The document comes from the environment. */
  isFixed: boolean
}

/** How to edit the file by hand, without the desktop app. */
export function EditTrustFile({ file, isFixed }: Props) {
  return (
    <>
      <Title order={3} size="h6" mt="lg" mb={4}>
        To add one
      </Title>
      {isFixed ? (
        <Text size="sm">
          The list is set in <Code>SSO_TRUST_JSON</Code> on the appliance. Change it there and restart.
        </Text>
      ) : (
        <>
          <List type="ordered" size="sm" spacing={6} mb="sm">
            <List.Item>
              Create <Code style={{ overflowWrap: 'anywhere' }}>{file ?? 'sso-trust.json'}</Code>
              {file === null && ' in the data folder'} as below, with the authority’s certificate next to it. Only the
              account Homeport runs as may be able to change them.
            </List.Item>
            <List.Item>
              Check it with <Code>npm run admin -- check</Code>, then restart the appliance.
            </List.Item>
          </List>
          <CommandLine text={example} label="Example of sso-trust.json" copyLabel="Copy example" />
        </>
      )}
    </>
  )
}
