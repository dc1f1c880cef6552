/** Where each host answers with the public id of the installation: the check of a domain asks there whether the host leads here. */
export const installationPath = '/.well-known/hoplet'
