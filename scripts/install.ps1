# Installs mlcli on Windows (x86-64):
#
#   irm https://github.com/mlcli/mlcli/releases/latest/download/install.ps1 | iex
#
# MLCLI_VERSION   a version such as 0.1.0; default: the latest
# MLCLI_INSTALL   the directory for the program; default: %LOCALAPPDATA%\Programs\mlcli
# MLCLI_RELEASES  address of the releases, for a mirror
#
# Nothing is installed unless its checksum is the one that the release names.

$ErrorActionPreference = 'Stop'
Set-StrictMode -Version Latest
# The progress bar makes Invoke-WebRequest of Windows PowerShell ten times slower.
$ProgressPreference = 'SilentlyContinue'
# Windows PowerShell 5.1 does not offer it by itself on older systems.
[Net.ServicePointManager]::SecurityProtocol = [Net.ServicePointManager]::SecurityProtocol -bor [Net.SecurityProtocolType]::Tls12

function Install-Mlcli {
  $releases = if ($env:MLCLI_RELEASES) { $env:MLCLI_RELEASES } else { 'https://github.com/mlcli/mlcli/releases' }
  $base = if ($env:MLCLI_VERSION) { "$releases/download/v$($env:MLCLI_VERSION.TrimStart('v'))" } else { "$releases/latest/download" }
  $directory = if ($env:MLCLI_INSTALL) { $env:MLCLI_INSTALL } else { Join-Path $env:LOCALAPPDATA 'Programs\mlcli' }
  $file = 'mlcli-x86_64-pc-windows-msvc.exe'

  $work = Join-Path ([IO.Path]::GetTempPath()) ([IO.Path]::GetRandomFileName())
  New-Item -ItemType Directory -Path $work | Out-Null
  try {
    Invoke-WebRequest -UseBasicParsing -Uri "$base/SHA256SUMS" -OutFile "$work\SHA256SUMS"
    $line = @(Get-Content "$work\SHA256SUMS" | Where-Object { $_ -match "^[0-9a-f]{64}  $([regex]::Escape($file))$" })
    if ($line.Count -ne 1) { throw "$base/SHA256SUMS does not name $file" }
    $expected = $line[0].Substring(0, 64)
    Invoke-WebRequest -UseBasicParsing -Uri "$base/$file" -OutFile "$work\mlcli.exe"
    $actual = (Get-FileHash -Algorithm SHA256 "$work\mlcli.exe").Hash.ToLowerInvariant()
    if ($actual -ne $expected) { throw "The checksum of $file is wrong: $actual, not $expected. Nothing was installed." }

    # Tried before it takes the place of one that works.
    $installed = & "$work\mlcli.exe" --version
    if ($LASTEXITCODE -ne 0) { throw "$file does not run on this machine. Nothing was installed." }
    New-Item -ItemType Directory -Force -Path $directory | Out-Null
    Move-Item -Force "$work\mlcli.exe" (Join-Path $directory 'mlcli.exe')
  }
  finally {
    Remove-Item -Recurse -Force $work
  }

  Write-Output "Installed $installed in $directory"
  $path = [Environment]::GetEnvironmentVariable('Path', 'User')
  if (($path -split ';') -notcontains $directory) {
    [Environment]::SetEnvironmentVariable('Path', (@($path, $directory) -ne '' -join ';'), 'User')
    Write-Output 'Added to your PATH; open a new terminal.'
  }
}

Install-Mlcli
